// A program that a test starts in order to kill it.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

extern char** environ;

namespace talea::crash {

// Its standard output is read here. Killed, at the latest, when this ends.
class KilledProcess {
 public:
  explicit KilledProcess(std::vector<std::string> command) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::vector<char*> arguments;
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const int error =
        ::posix_spawn(&process_, arguments[0], &actions, nullptr, arguments.data(), environ);
    if (error != 0) process_ = -1;
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    output_ = ends[0];
  }
  ~KilledProcess() {
    if (process_ > 0) Kill();
    ::close(output_);
  }
  KilledProcess(const KilledProcess&) = delete;
  KilledProcess& operator=(const KilledProcess&) = delete;

  bool started() const { return process_ > 0; }

  // Waits for one more message, which the program writes in one piece; nothing once it is gone.
  template <class Message>
  std::optional<Message> Next() const {
    Message message;
    const ssize_t count = ::read(output_, &message, sizeof message);
    if (count != sizeof message) return std::nullopt;
    return message;
  }

  // Whether it was the signal that ended it.
  bool Kill() {
    ::kill(process_, SIGKILL);
    const int status = Wait();
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }

  // Waits for its end, and returns what waitpid says of it.
  int Wait() {
    int status = 0;
    ::waitpid(std::exchange(process_, -1), &status, 0);
    return status;
  }

 private:
  pid_t process_ = -1;
  int output_ = -1;
};

}  // namespace talea::crash
