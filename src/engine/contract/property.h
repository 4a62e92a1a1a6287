// Random tests by RapidCheck, and the random keys and writes that they are made of.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "engine/contract/fixture.h"
#include "talea/key_range.h"
#include "talea/keyspace.h"

namespace talea::contract {

// Short keys of a few letters, so that they meet: the empty one, zero and 0xff bytes among them.
rc::Gen<std::string> RandomKey();
rc::Gen<std::string> RandomValue();

// Half of them open at an end; some empty.
rc::Gen<KeyRange> RandomRange();

// A write that is yet to be made on a batch, a transaction or a model.
struct RandomWrite {
  enum class Kind : std::uint8_t { put, erase, erase_range, put_counter, add };

  Kind kind;
  Keyspace keyspace;
  std::string key;         // all but erase_range
  std::string value;       // put
  KeyRange range;          // erase_range
  std::int64_t delta = 0;  // put_counter, add

  template <class Target>
  void ApplyTo(Target& target) const {
    switch (kind) {
      case Kind::put:
        return target.Put(keyspace, key, value);
      case Kind::erase:
        return target.Erase(keyspace, key);
      case Kind::erase_range:
        return target.EraseRange(keyspace, range);
      case Kind::put_counter:
        return target.PutCounter(keyspace, key, delta);
      case Kind::add:
        return target.Add(keyspace, key, delta);
    }
  }
};

std::ostream& operator<<(std::ostream& out, const RandomWrite& write);

// One that is allowed in its keyspace; range erasures are rarer than the rest.
rc::Gen<RandomWrite> RandomWriteToAny();

using RandomWrites = std::vector<RandomWrite>;
rc::Gen<RandomWrites> RandomWriteList();

// The writes as a batch.
WriteBatch ToBatch(const RandomWrites& writes);

// Starts a random case: the engine holds nothing but what these writes leave; returns that state.
Model StartFrom(Engine& engine, const RandomWrites& writes);

// Tries the property on random cases, about that many; the test fails with the smallest case that
// fails. The property draws what is random by *RandomKey() and the like, and fails by RC_ASSERT or
// by throwing.
void CheckProperty(int cases, const std::function<void()>& property);

}  // namespace talea::contract
