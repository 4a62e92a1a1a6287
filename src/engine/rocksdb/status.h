// RocksDB's answers in Talea's terms.
#pragma once

#include <rocksdb/status.h>

#include <string>
#include <string_view>

#include "talea/bytes.h"
#include "talea/result.h"

namespace talea {

inline rocksdb::Slice AsSlice(ByteView bytes) { return {bytes.data(), bytes.size()}; }
inline ByteView AsBytes(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

inline ErrorCode CodeOf(const rocksdb::Status& status) {
  if (status.IsCorruption()) return ErrorCode::corruption;
  if (status.IsNotFound() || status.IsPathNotFound()) return ErrorCode::not_found;
  if (status.IsNotSupported()) return ErrorCode::unsupported;
  if (status.IsInvalidArgument()) return ErrorCode::invalid_argument;
  if (status.IsShutdownInProgress()) return ErrorCode::closed;
  if (status.IsTimedOut() || status.IsBusy() || status.IsTryAgain()) return ErrorCode::unavailable;
  return ErrorCode::io_error;
}

// An error that says what was being done: `writing a commit: IO error: No space left on device`.
inline std::unexpected<Error> Failed(std::string_view action, const rocksdb::Status& status) {
  return Fail(CodeOf(status), std::string(action) + ": " + status.ToString());
}

inline Status Check(std::string_view action, const rocksdb::Status& status) {
  if (status.ok()) return {};
  return Failed(action, status);
}

}  // namespace talea
