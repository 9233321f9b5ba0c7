// SPDX-License-Identifier: Apache-2.0
/// How the session's actions are carried out.
#include <cstring>

#include "core/clock.hh"
#include "runtime/member/feeder.hh"
#include "runtime/member/member.hh"
#include "runtime/member/state_moves.hh"
#include "runtime/state/checkpoint_file.hh"

namespace gleaner::member {
namespace {

constexpr double connect_plane_s = 60;  // the coordinator drops it earlier

std::size_t copy_out(std::vector<state::Span> const& spans, char* to) {
  std::size_t at = 0;
  for (auto const& span : spans) {
    std::memcpy(to + at, span.data, span.bytes);
    at += span.bytes;
  }
  return at;
}

}  // namespace

void Member::received(msg::ToMember const& message) {
  if (auto const* blobs = std::get_if<msg::PlaneBlobs>(&message))
    return planes_.take(*blobs);
  Lock lock(mutex_);
  if (auto const* welcome = std::get_if<msg::Welcome>(&message)) {
    // Of two members either may reach the coordinator, and not the other.
    data_.set_silence_limit(welcome->failure_timeout_s);
    planes_.set_silence_limit(welcome->failure_timeout_s);
    welcome_ = true;
    changed_.notify_all();
  } else if (auto const* refused = std::get_if<msg::Refused>(&message)) {
    // Once it knows the schema, that is what it refuses.
    give_up(loaded_ ? GLEANER_ESCHEMA : GLEANER_EREFUSED,
            "refused by the coordinator: " + refused->why);
  } else {
    perform(session_.on_message(message));
  }
}

void Member::give_up(int code, std::string why) {
  if (lost_code_) return;
  lost_code_ = code;
  lost_why_ = std::move(why);
  planes_.drop_all();
  data_.abort_all();
  stop_feed();
  changed_.notify_all();
}

void Member::post(msg::FromMember message) {
  asio::post(io_,
             [this, message = std::move(message)] { link_->send(message); });
}

/// Actions that follow from these are carried out after them, not inside.
void Member::perform(generation::session::Actions actions) {
  for (auto& action : actions) actions_.push_back(std::move(action));
  if (performing_) return;
  performing_ = true;
  for (;;) {
    while (!actions_.empty()) {
      auto const action = std::move(actions_.front());
      actions_.pop_front();
      std::visit([this](auto const& one) { do_one(one); }, action);
    }
    if (!stopping_ || busy_ > 0) break;
    stopping_ = false;
    for (auto& action : session_.plane_stopped())
      actions_.push_back(std::move(action));
  }
  performing_ = false;
  changed_.notify_all();
}

void Member::perform(msg::Generation generation,
                     Result<generation::session::Actions> actions) {
  perform(actions ? std::move(*actions)
                  : session_.failed(generation, actions.error().message));
}

void Member::tell_user(Answer answer) { answer_ = std::move(answer); }

void Member::add_task(msg::Generation generation, Task::Kind kind,
                      std::function<void()> run) {
  tasks_.push_back({generation, kind, std::move(run)});
}

/// Counts as busy from now on.
void Member::in_background(std::function<void()> work) {
  ++busy_;
  background_.run([this, work = std::move(work)] {
    try {
      work();
    } catch (std::exception const& why) {
      Lock lock(mutex_);
      give_up(GLEANER_ENOMEM, why.what());
    }
    Lock lock(mutex_);
    --busy_;
    perform({});
  });
}

void Member::do_one(generation::session::Send const& action) {
  post(action.message);
}

void Member::do_one(generation::session::ConnectPlane const& action) {
  planes_.connect(action.generation, int(action.rank),
                  int(action.members.size()), connect_plane_s);
}

void Member::do_one(generation::session::DropPlane const& action) {
  planes_.drop(action.generation);
  data_.abort(action.generation);
  if (feeder_ && feeder_->generation() == action.generation) stop_feed();
  std::erase_if(tasks_, [&](Task const& task) {
    return task.kind == Task::Kind::transfer &&
           task.generation == action.generation;
  });
}

void Member::do_one(generation::session::StopPlanes const&) {
  planes_.drop_all();
  data_.abort_all();
  stop_feed();
  std::erase_if(tasks_, [](Task const& task) {
    return task.kind == Task::Kind::transfer;
  });
  reduce_.reset();
  stopping_ = true;
}

/// On a thread of its own: the user's waits for the state.
void Member::do_one(generation::session::BeginsSoon const&) {
  if (!begins_soon_) return;
  ++foretelling_;
  in_background([this] {
    auto const told = [this] {
      Lock lock(mutex_);
      --foretelling_;
    };
    try {
      begins_soon_();
    } catch (...) {
      told();
      throw;
    }
    told();
  });
}

void Member::do_one(generation::session::Reduce const& action) {
  reduce_ = action;
  whereabouts_.reduction_ordered(SystemClock().monotonic_s());
}

void Member::do_one(generation::session::BeginStep const& action) {
  ready_.begin();
  reduce_began_s_ = 0;
  tell_user(action);
}

void Member::do_one(generation::session::ServeState const& action) {
  add_task(action.generation, Task::Kind::transfer,
           [this, action, permit = data_.permit(action.generation)] {
             serve(action, permit);
           });
}

void Member::serve(generation::session::ServeState const& action,
                   DataService::Permit const& permit) {
  auto served = registry_.pull();
  if (served) served = serve_state(data_, permit, action, registry_, schema_);
  if (served) send_digest(action.generation, action.step);
  Lock lock(mutex_);
  if (!served) post(msg::MemberError{served.error().message});
  perform(session_.state_served(action.generation));
}

void Member::do_one(generation::session::FetchState const& action) {
  add_task(action.generation, Task::Kind::transfer,
           [this, action, permit = data_.permit(action.generation)] {
             fetch(action, permit);
           });
}

void Member::fetch(generation::session::FetchState const& action,
                   DataService::Permit const& permit) {
  auto const sources =
      ask_for_state(data_, permit, action, environment_.member, registry_);
  if (sources) {
    Lock lock(mutex_);
    perform(session_.state_requested(action.generation));
  }
  auto state = sources
                   ? fetch_state(data_, permit, *sources, registry_, schema_)
                   : Result<FetchedState>(sources.error());
  auto failure = state ? registry_.push() : Result<void>(state.error());
  if (failure) failure = registry_.load_blobs(state->header.blobs);
  if (failure && action.follow) {
    auto followed = follow(action, *sources);
    failure = followed ? registry_.load_blobs(followed->blobs)
                       : Result<void>(followed.error());
    if (followed) state->header = std::move(*followed);
  }
  Lock lock(mutex_);
  if (!failure) {
    if (data_.valid(permit))
      perform(session_.failed(action.generation, failure.error().message));
    return;
  }
  perform(action.generation,
          session_.state_received(action.generation, state->header.session));
  auto const step = session_.complete();
  lock.unlock();
  post(msg::StateReceived{action.generation, step, registry_.bytes(),
                          state->took_s});
  send_digest(action.generation, step);
}

/// Of the state that a generation begins with; on the user's thread.
void Member::send_digest(msg::Generation generation, msg::Step step) {
  post(msg::StateDigest{
      generation, step,
      state::state_digests(registry_, step, digest_of_, buffers_)});
}

void Member::do_one(generation::session::FetchReduction const& action) {
  in_background([this, action, permit = data_.permit(action.generation)] {
    fetch(action, permit);
  });
}

void Member::fetch(generation::session::FetchReduction const& action,
                   DataService::Permit const& permit) {
  auto const reduction =
      fetch_reduction(data_, permit, action, sums().result_bytes());
  auto const taken = reduction ? sums().write_result(action.step, *reduction)
                               : Result<void>(reduction.error());
  Lock lock(mutex_);
  if (taken)
    perform(session_.reduction_fetched(action.generation));
  else if (data_.valid(permit))
    perform(session_.failed(action.generation, taken.error().message));
}

/// In the event loop.
void Member::serve_reduction_to(msg::PullReduction const& request,
                                std::shared_ptr<DataService::Connection> to) {
  Lock lock(mutex_);
  if (session_.complete() != request.step || stopping_) return;
  in_background([this, request, to] {
    std::string room;
    auto const spans = sums().read_result(request.step, room);
    if (spans) serve_reduction(*to, *spans);  // else it sees us gone
  });
}

void Member::do_one(generation::session::WriteCheckpoint const& action) {
  add_task(action.generation, Task::Kind::file,
           [this, action] { write(action); });
}

/// The copy is made here, on the user's thread; a joiner may wait for the
/// step, but not for the disk.
void Member::write(generation::session::WriteCheckpoint const& action) {
  auto blobs = registry_.save_blobs();
  if (auto pulled = registry_.pull(); blobs && !pulled) blobs = pulled.error();
  if (!blobs) {
    Lock lock(mutex_);
    return perform(
        session_.checkpoint_failed(action.path, blobs.error().message));
  }
  std::shared_ptr<char[]> const data =
      std::make_unique_for_overwrite<char[]>(registry_.bytes());
  copy_out(registry_.stripe(0, 1), data.get());
  state::StateHeader header{schema_, action.header, std::move(*blobs)};
  background_.run([this, data, header, path = action.path] {
    auto const bytes =
        state::write_checkpoint(path, registry_.tensors(), data.get(), header);
    Lock lock(mutex_);
    perform(bytes ? session_.checkpoint_written(path, *bytes)
                  : session_.checkpoint_failed(path, bytes.error().message));
  });
}

void Member::do_one(generation::session::LoadCheckpoint const& action) {
  add_task(action.generation, Task::Kind::file,
           [this, action] { load(action); });
}

void Member::load(generation::session::LoadCheckpoint const& action) {
  auto header = state::read_checkpoint(action.path, registry_, schema_);
  auto failure = header ? registry_.push() : Result<void>(header.error());
  if (failure) failure = registry_.load_blobs(header->blobs);
  Lock lock(mutex_);
  if (failure) failure = take_loaded(action.generation, header->session);
  if (!failure)
    perform(session_.checkpoint_failed(action.path, failure.error().message));
}

/// Locked.
Result<void> Member::take_loaded(msg::Generation generation,
                                 std::string const& header) {
  auto actions = session_.checkpoint_loaded(generation, header);
  if (!actions) return actions.error();
  perform(std::move(*actions));
  return {};
}

}  // namespace gleaner::member
