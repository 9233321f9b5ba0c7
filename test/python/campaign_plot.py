# SPDX-License-Identifier: Apache-2.0
"""The page that `gleaner campaign plot` writes, in a real browser."""

import os
import shutil
import tempfile
import time
import unittest
from pathlib import Path

import support
from campaign import Case, missing

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
except ImportError:
    webdriver = None
try:
    import plotly
except ImportError:
    plotly = None

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
lacks = [
    name
    for name, there in [
        ("python3-selenium", webdriver),
        ("python3-plotly", plotly),
        ("chromium", CHROMIUM),
        ("chromium-driver", DRIVER),
    ]
    if not there
] + missing


@unittest.skipIf(lacks, f"missing: {', '.join(lacks)}")
class Page(Case):
    def browser(self):
        options = Options()
        options.binary_location = CHROMIUM
        for word in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
            options.add_argument(word)
        profile = tempfile.mkdtemp(prefix="gleaner-test-")
        options.add_argument(f"--user-data-dir={profile}")
        try:
            driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        except TypeError:  # Selenium 3
            driver = webdriver.Chrome(DRIVER, options=options)
        self.addCleanup(shutil.rmtree, profile, True)
        self.addCleanup(driver.quit)
        driver.set_page_load_timeout(60)
        return driver

    def test_page(self):
        """all figures are drawn, with a bar for each node of each trial"""
        self.create(trials=4, pruner="{name: asha, reduction: 2}", seed=7)
        self.assertEqual(self.finish(self.work("--samples=160", "--step-ms=1")), 0)
        page = Path(self.call("plot", self.dir).strip())
        self.assertNotIn("Not drawn", page.read_text())
        driver = self.browser()
        driver.get(page.as_uri())
        script = "return document.querySelectorAll('.plotly-graph-div .main-svg').length"
        self.wait(lambda: driver.execute_script(script) >= 6)
        bars = driver.execute_script(
            "return document.querySelectorAll('.plotly-graph-div')[0]"
            ".querySelectorAll('.bars .point').length"
        )
        self.assertEqual(bars, sum(len(self.events(n, "node_joined")) for n in range(4)))
        self.assertGreaterEqual(bars, 4)
        heads = driver.execute_script(
            "return [...document.querySelectorAll('h2')].map(e => e.textContent)"
        )
        self.assertEqual(heads[:2], ["Trials over nodes", "Best value so far"])


if __name__ == "__main__":
    support.main()
