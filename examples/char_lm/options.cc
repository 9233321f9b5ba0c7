// SPDX-License-Identifier: Apache-2.0
#include "options.hh"

#include <getopt.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace char_lm {
namespace {

char const help[] =
    R"(Usage: char_lm [OPTION]...
Train a small transformer to write like a text, one character after another.
Run alone, or on a changing set of nodes under `gleaner run`.

  --text PATH          a file, or a folder whose files are read in order
                       [the licence texts in /usr/share/common-licenses]
  --passes N           how often the text is read [10]
  --batch N            samples per step, over all members [32]
  --context N          characters in a sample [64]
  --width N            size of a character's vector [64]
  --heads N            attention heads; divides the width [4]
  --layers N           transformer blocks [2]
  --learning-rate X    of Adam [0.003]
  --seed N             of the first weights and the order of samples [1]
  --report-every N     steps between lines on standard output, 0: none [50]
  --nice N             let other processes of the machine go first while
                       computing, as nice(1) does [0]
  --emulate U,B,A,S    compute nothing, but take the time of a training whose
                       member needs U + B x its samples seconds a step, and
                       whose gradients need S seconds in a ring, and A more
                       for each of its links [off]
  --sample N           characters to write when the training is done [0]
)";

[[noreturn]] void refuse(char const* option, char const* value,
                         char const* why) {
  std::fprintf(stderr, "char_lm: --%s '%s': %s\n", option, value, why);
  std::exit(2);
}

template <class Number>
void read_count(char const* option, char const* value, long long min,
                Number* number) {
  char* end = nullptr;
  errno = 0;
  long long const parsed = std::strtoll(value, &end, 10);
  if (errno != 0 || end == value || *end != '\0' || parsed < min ||
      parsed > 1'000'000'000)
    refuse(option, value, "not a whole number in range");
  *number = static_cast<Number>(parsed);
}

void read_rate(char const* option, char const* value, double* number) {
  char* end = nullptr;
  *number = std::strtod(value, &end);
  if (end == value || *end != '\0' || !(*number > 0) || *number > 1)
    refuse(option, value, "not a number between 0 and 1");
}

void read_emulation(char const* option, char const* value,
                    std::optional<Emulation>* emulation) {
  Emulation e;
  char rest = 0;
  if (std::sscanf(value, "%lf,%lf,%lf,%lf%c", &e.fixed_s, &e.sample_s,
                  &e.link_s, &e.ring_s, &rest) != 4 ||
      e.fixed_s < 0 || e.sample_s < 0 || e.link_s < 0 || e.ring_s < 0)
    refuse(option, value, "not four times in seconds, as 0.01,0.002,1e-4,0.05");
  *emulation = e;
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  static option const table[] = {
      {"text", required_argument, nullptr, 't'},
      {"passes", required_argument, nullptr, 'p'},
      {"batch", required_argument, nullptr, 'b'},
      {"context", required_argument, nullptr, 'c'},
      {"width", required_argument, nullptr, 'w'},
      {"heads", required_argument, nullptr, 'a'},
      {"layers", required_argument, nullptr, 'l'},
      {"learning-rate", required_argument, nullptr, 'r'},
      {"seed", required_argument, nullptr, 's'},
      {"report-every", required_argument, nullptr, 'e'},
      {"nice", required_argument, nullptr, 'i'},
      {"sample", required_argument, nullptr, 'n'},
      {"emulate", required_argument, nullptr, 'E'},
      {"help", no_argument, nullptr, 'h'},
      {nullptr, 0, nullptr, 0}};
  int index = 0;
  for (int c; (c = getopt_long(argc, argv, "h", table, &index)) != -1;) {
    char const* name = table[index].name;
    switch (c) {
      case 't':
        options.text = optarg;
        break;
      case 'p':
        read_count(name, optarg, 1, &options.passes);
        break;
      case 'b':
        read_count(name, optarg, 1, &options.batch);
        break;
      case 'c':
        read_count(name, optarg, 1, &options.context);
        break;
      case 'w':
        read_count(name, optarg, 1, &options.width);
        break;
      case 'a':
        read_count(name, optarg, 1, &options.heads);
        break;
      case 'l':
        read_count(name, optarg, 1, &options.layers);
        break;
      case 'r':
        read_rate(name, optarg, &options.learning_rate);
        break;
      case 's':
        read_count(name, optarg, 0, &options.seed);
        break;
      case 'e':
        read_count(name, optarg, 0, &options.report_every);
        break;
      case 'i':
        read_count(name, optarg, 0, &options.nice);
        break;
      case 'n':
        read_count(name, optarg, 0, &options.sample);
        break;
      case 'E':
        read_emulation(name, optarg, &options.emulation);
        break;
      case 'h':
        std::fputs(help, stdout);
        std::exit(0);
      default:
        std::exit(2);  // getopt said what is wrong
    }
  }
  if (optind < argc) refuse("help", argv[optind], "no such argument");
  if (options.width % options.heads != 0)
    refuse("heads", std::to_string(options.heads).c_str(),
           "does not divide the width");
  return options;
}

}  // namespace char_lm
