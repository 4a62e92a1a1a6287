// Runs a fuzzer where there is no libFuzzer, so that every test run fuzzes a little, under g++'s
// sanitizers too.
//
//   NAME_fuzzer FILE_OR_FOLDER...
//
// Replays the given files, then mutations of them that depend on the seed alone. A failing input is
// saved to a file in the working directory, to be replayed by naming it. TALEA_SEED changes the
// seed, TALEA_LONG the time.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// Sanitizers end the process in several ways; an abort is the one that can be caught.
extern "C" const char* __asan_default_options() { return "abort_on_error=1"; }
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }

namespace {

using namespace std::chrono_literals;

constexpr std::size_t largest_input = 4096;
constexpr unsigned timeout_seconds = 20;  // for one input

std::string input;       // the one under test
std::string saved_path;  // where it goes if it fails

void WriteAll(int file, std::string_view text) {
  [[maybe_unused]] const auto ignored = write(file, text.data(), text.size());
}

// Calls only what a signal handler may.
extern "C" void SaveInput(int signal) {
  const int file = open(saved_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0) WriteAll(file, input);
  WriteAll(STDERR_FILENO, "the failing input was saved to ");
  WriteAll(STDERR_FILENO, saved_path);
  WriteAll(STDERR_FILENO, "\n");
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void HandleSignals() {
  std::signal(SIGABRT, SaveInput);
  std::signal(SIGALRM, SaveInput);
#ifndef __SANITIZE_ADDRESS__  // which explains these two, and then aborts
  std::signal(SIGSEGV, SaveInput);
  std::signal(SIGFPE, SaveInput);
#endif
}

void RunOne(std::string next) {
  input = std::move(next);
  alarm(timeout_seconds);
  // A copy of exactly this size lets the address sanitizer see a read past the end.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  alarm(0);
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// In the order of their names, as a seed has to mean the same everywhere.
std::vector<std::string> ReadCorpus(int argc, char** argv) {
  std::vector<std::filesystem::path> paths;
  for (int i = 1; i < argc; ++i) {
    if (std::filesystem::is_directory(argv[i])) {
      for (const auto& entry : std::filesystem::directory_iterator(argv[i])) paths.push_back(entry);
    } else if (std::filesystem::exists(argv[i])) {
      paths.push_back(argv[i]);
    }
  }
  std::ranges::sort(paths);
  std::vector<std::string> corpus;
  for (const auto& path : paths) corpus.push_back(ReadFile(path));
  return corpus;
}

class Mutator {
 public:
  Mutator(const std::vector<std::string>& corpus, std::uint64_t seed)
      : corpus_(corpus), random_(seed) {}

  std::string Next() {
    std::string result = Any();
    for (std::uint64_t step = Below(4) + 1; step > 0; --step) MutateOnce(result);
    result.resize(std::min(result.size(), largest_input));
    return result;
  }

 private:
  // std::uniform_int_distribution differs between standard libraries.
  std::uint64_t Below(std::uint64_t bound) { return bound == 0 ? 0 : random_() % bound; }
  char Byte() { return static_cast<char>(Below(256)); }
  const std::string& Any() { return corpus_[Below(corpus_.size())]; }

  void MutateOnce(std::string& text) {
    constexpr std::array<unsigned char, 8> edges = {0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff, 0x20, 0x0a};
    const std::size_t at = Below(text.size() + 1);
    const std::size_t length = Below(std::min<std::uint64_t>(text.size() - at, 16) + 1);
    switch (Below(7)) {
      case 0:
        if (at < text.size()) text[at] ^= static_cast<char>(1 << Below(8));
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(edges[Below(edges.size())]);
        break;
      case 2:
        text.insert(at, Below(8) + 1, Byte());
        break;
      case 3:
        text.erase(at, length);
        break;
      case 4:
        text.insert(at, text.substr(at, length));
        break;
      case 5:
        text.resize(at);
        break;
      default:  // the head of this one, the tail of another
        const std::string& other = Any();
        text.replace(at, std::string::npos, other, Below(other.size() + 1), std::string::npos);
    }
  }

  const std::vector<std::string>& corpus_;
  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  saved_path =
      std::filesystem::absolute(std::filesystem::path(argv[0]).filename()).string() + ".failing";
  HandleSignals();
  const char* seed_text = std::getenv("TALEA_SEED");
  const std::uint64_t seed = seed_text != nullptr ? std::strtoull(seed_text, nullptr, 10) : 1;
  const bool longer = std::getenv("TALEA_LONG") != nullptr;
  const int mutations = longer ? 1'000'000 : 50'000;
  const auto end = std::chrono::steady_clock::now() + (longer ? 60s : 4s);

  std::vector<std::string> corpus = ReadCorpus(argc, argv);
  std::printf("%zu inputs, then mutations with TALEA_SEED=%ju\n", corpus.size(),
              std::uintmax_t{seed});
  std::fflush(stdout);
  for (const std::string& text : corpus) RunOne(text);

  corpus.emplace_back();
  Mutator mutator(corpus, seed);
  int done = 0;
  for (; done < mutations && std::chrono::steady_clock::now() < end; ++done) RunOne(mutator.Next());
  std::printf("%d mutations\n", done);
}
