#include "engine/contract/property.h"

#include <cstdlib>
#include <limits>
#include <ostream>
#include <sstream>

namespace talea::contract {
namespace {

using Kind = RandomWrite::Kind;

constexpr int kLargestSize = 40;

bool IsCounter(const Keyspace& keyspace) { return keyspace.pattern == AccessPattern::counter; }

rc::Gen<Kind> RandomKind(bool counter) {
  if (counter) {
    return rc::gen::weightedElement<Kind>(
        {{8, Kind::add}, {3, Kind::put_counter}, {3, Kind::erase}, {2, Kind::erase_range}});
  }
  return rc::gen::weightedElement<Kind>({{8, Kind::put}, {4, Kind::erase}, {2, Kind::erase_range}});
}

// Mostly small, so that sums return to 0, and sometimes at the edge, so that they wrap.
rc::Gen<std::int64_t> RandomDelta() {
  using Edges = std::numeric_limits<std::int64_t>;
  return rc::gen::weightedOneOf<std::int64_t>(
      {{8, rc::gen::inRange<std::int64_t>(-3, 4)},
       {1, rc::gen::element(Edges::min(), Edges::max(), std::int64_t{-1})}});
}

std::string_view KindName(Kind kind) {
  constexpr std::string_view kNames[] = {"Put", "Erase", "EraseRange", "PutCounter", "Add"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace

rc::Gen<std::string> RandomKey() {
  return rc::gen::mapcat(rc::gen::inRange<std::size_t>(0, 4), [](std::size_t bytes) {
    return rc::gen::container<std::string>(bytes, rc::gen::element('\0', 'a', 'b', '\xff'));
  });
}

rc::Gen<std::string> RandomValue() {
  return rc::gen::mapcat(rc::gen::inRange<std::size_t>(0, 6), [](std::size_t bytes) {
    return rc::gen::container<std::string>(bytes, rc::gen::element('x', 'y', '\0', '\xff'));
  });
}

rc::Gen<KeyRange> RandomRange() {
  return rc::gen::map(rc::gen::tuple(RandomKey(), RandomKey(), rc::gen::inRange(0, 8)),
                      [](const auto& parts) {
                        const auto& [a, b, shape] = parts;
                        if (shape == 0) return KeyRange::All();
                        if (shape == 1) return KeyRange::From(a);
                        if (shape == 2) return KeyRange::Before(a);
                        if (shape == 3) return KeyRange::Prefix(a);
                        return Between(std::min(a, b), std::max(a, b));
                      });
}

std::ostream& operator<<(std::ostream& out, const RandomWrite& write) {
  out << KindName(write.kind) << "(" << write.keyspace.name << ", ";
  if (write.kind == Kind::erase_range) return out << write.range.ToString() << ")";
  out << Quoted(write.key);
  if (write.kind == Kind::put) out << ", " << Quoted(write.value);
  if (write.kind == Kind::put_counter || write.kind == Kind::add) out << ", " << write.delta;
  return out << ")";
}

rc::Gen<RandomWrite> RandomWriteToAny() {
  return rc::gen::exec([] {
    const Keyspace keyspace =
        *rc::gen::elementOf(std::vector<Keyspace>(std::begin(kKeyspaces), std::end(kKeyspaces)));
    RandomWrite write{*RandomKind(IsCounter(keyspace)), keyspace, *RandomKey(), {}, {}};
    if (write.kind == Kind::put) write.value = *RandomValue();
    if (write.kind == Kind::erase_range) write.range = *RandomRange();
    if (IsCounter(keyspace)) write.delta = *RandomDelta();
    return write;
  });
}

rc::Gen<RandomWrites> RandomWriteList() {
  return rc::gen::container<RandomWrites>(RandomWriteToAny());
}

WriteBatch ToBatch(const RandomWrites& writes) {
  WriteBatch batch;
  for (const RandomWrite& write : writes) write.ApplyTo(batch);
  return batch;
}

Model StartFrom(Engine& engine, const RandomWrites& writes) {
  WriteBatch batch = EraseEverything();
  batch.Append(ToBatch(writes));
  Write(engine, batch);
  Model model;
  model.Apply(batch);
  return model;
}

void CheckProperty(int cases, const std::function<void()>& property) {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  rc::detail::TestMetadata metadata;
  metadata.id = std::string(test.test_suite_name()) + "." + test.name();
  metadata.description = test.name();

  rc::detail::TestParams parameters;
  parameters.seed = TestSeed();
  parameters.maxSuccess = Steps(cases);
  parameters.maxSize = kLargestSize;
  const rc::detail::TestResult result =
      std::getenv("RC_PARAMS") != nullptr
          ? rc::detail::checkTestable(property, metadata)
          : rc::detail::checkTestable(property, metadata, parameters);
  if (result.is<rc::detail::SuccessResult>()) return;

  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  ADD_FAILURE() << "with TALEA_SEED=" << TestSeed() << ": " << message.str();
}

}  // namespace talea::contract
