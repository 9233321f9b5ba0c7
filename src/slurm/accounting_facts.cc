// SPDX-License-Identifier: Apache-2.0
/// Reading slurmctld's copy of the accounts (scontrol show assoc_mgr).
#include "slurm/accounting_facts.hh"

#include <dlfcn.h>
#include <slurm/slurmdb.h>

#include <memory>
#include <vector>

#include "slurm/compat.hh"
#include "slurm/records.hh"

namespace gleaner::slurm {
namespace {

using Answer =
    std::unique_ptr<assoc_mgr_info_msg_t, void (*)(assoc_mgr_info_msg_t*)>;

/// All QOS; and, if one is named, the associations of the account.
Answer ask(std::string const& account) {
  assoc_mgr_info_request_msg_t request{};
  request.flags = ASSOC_MGR_INFO_FLAG_QOS;
  if (!account.empty()) {
    request.flags |= ASSOC_MGR_INFO_FLAG_ASSOC;
    request.acct_list = slurm_list_create(nullptr);
    slurm_list_append(request.acct_list, const_cast<char*>(account.c_str()));
  }
  assoc_mgr_info_msg_t* answer = nullptr;
  if (slurm_load_assoc_mgr_info(&request, &answer) != SLURM_SUCCESS)
    answer = nullptr;
  if (request.acct_list) slurm_list_destroy(request.acct_list);
  return Answer(answer, slurm_free_assoc_mgr_info_msg);
}

/// Calls visit(record) for each of one of Slurm's lists; NULL is an empty one.
template <class Record, class List, class Visit>
void for_each(List list, Visit visit) {
  if (!list) return;
  auto* const at = slurm_list_iterator_create(list);
  while (auto* record = static_cast<Record*>(slurm_list_next(at)))
    visit(*record);
  slurm_list_iterator_destroy(at);
}

/// Is the bit set?  libslurm has the function, its public headers do not.
bool has_bit(bitstr_t* bits, std::uint32_t bit) {
  using Test = int(bitstr_t*, std::int64_t);
  static auto* const test =
      reinterpret_cast<Test*>(dlsym(RTLD_DEFAULT, "slurm_bit_test"));
  static auto* const size = reinterpret_cast<std::int64_t (*)(bitstr_t*)>(
      dlsym(RTLD_DEFAULT, "slurm_bit_size"));
  return bits && test && size && bit < size(bits) && test(bits, bit) != 0;
}

QosFacts facts_of(slurmdb_qos_rec_t const& qos) {
  QosFacts facts;
  facts.name = text_of(qos.name);
  auto const mode = qos.preempt_mode & ~PREEMPT_MODE_GANG;
  facts.cancels = mode == PREEMPT_MODE_OFF || mode == PREEMPT_MODE_CANCEL;
  facts.grace_time_s =
      qos.grace_time >= NO_VAL - 1 ? 0 : static_cast<int>(qos.grace_time);
  facts.exempt_s = qos.preempt_exempt_time >= NO_VAL - 1
                       ? 0
                       : static_cast<int>(qos.preempt_exempt_time);
  facts.usage_factor = qos.usage_factor;
  return facts;
}

}  // namespace

std::optional<AccountingFacts> read_accounting(std::string const& account) {
  auto const answer = ask(account);
  if (!answer) return std::nullopt;
  AccountingFacts facts;
  std::vector<slurmdb_qos_rec_t const*> records;
  for_each<slurmdb_qos_rec_t>(answer->qos_list, [&](auto& qos) {
    records.push_back(&qos);
    facts.qos.push_back(facts_of(qos));
  });
  for (std::size_t i = 0; i < records.size(); ++i)
    for (auto const* other : records)
      if (has_bit(records[i]->preempt_bitstr, other->id))
        facts.qos[i].preempts.push_back(text_of(other->name));
  for_each<slurmdb_assoc_rec_t>(answer->assoc_list, [&](auto& association) {
    if (text_of(association.acct) == account && !account.empty())
      facts.has_lease_account = true;
  });
  return facts;
}

}  // namespace gleaner::slurm
