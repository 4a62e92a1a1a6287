#include "bench/histograms_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "bench/support.h"

namespace talea::bench {
namespace {

constexpr std::int64_t kMonthStart = 1'700'000'000'000;  // in ms since the epoch
constexpr std::int64_t kMonth = std::int64_t{30} * 24 * 3'600 * 1'000;
constexpr std::int64_t kDay = std::int64_t{24} * 3'600 * 1'000;
constexpr std::int64_t kBetweenLater = 2'592;  // as a million in a month

// From 0 up to, and without, 1.
double Fraction(Random& random) { return static_cast<double>(random.Next() >> 11) * 0x1.0p-53; }

std::string BigEndian(std::uint64_t number, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    text.push_back(static_cast<char>(number >> shift));
  }
  return text;
}

std::string RandomBytes(Random& random, int bytes) { return BigEndian(random.Next(), bytes); }

Element LaterBytes(std::uint64_t number) {
  return Bytes(BigEndian(std::numeric_limits<std::uint64_t>::max(), 8) + BigEndian(number, 8));
}

Element Uniform(Random& random, double) { return Bytes(RandomBytes(random, 8)); }

Element ThreePrefixes(Random& random, double) {
  constexpr std::array<std::string_view, 3> kPrefixes = {"us", "de", "in"};
  if (!random.Chance(0.8)) return Bytes(RandomBytes(random, 8));
  return Bytes(std::string(kPrefixes[DrawZipf(random, 1.1, 3) - 1]) + RandomBytes(random, 6));
}

Element FivePrefixes(Random& random, double) {
  constexpr std::array<std::string_view, 5> kPrefixes = {"acct", "bill", "cust", "item", "sale"};
  return Bytes(std::string(kPrefixes[random.Below(5)]) + RandomBytes(random, 4));
}

constexpr std::uint64_t kUsers = 50'000'000;
Element User(std::uint64_t number) { return Text(fmt::format("user:{:08}", number)); }
Element AnyUser(Random& random, double) { return User(random.Below(kUsers)); }
Element NewUser(std::uint64_t number) { return User(kUsers + number); }

// More by day than by night.
Element Moment(Random& random, double) {
  for (;;) {
    const auto at = static_cast<std::int64_t>(random.Below(kMonth));
    const double hour_angle = 2 * std::numbers::pi * static_cast<double>(at % kDay) / kDay;
    if (random.Chance(0.55 - 0.45 * std::cos(hour_angle))) return kMonthStart + at;
  }
}
std::int64_t LaterMoment(std::uint64_t number) {
  return kMonthStart + kMonth + static_cast<std::int64_t>(number) * kBetweenLater;
}

// Numbers as they are given to accounts: which one is popular does not show in its bits.
constexpr std::int64_t kBeyondNumbers = std::int64_t{1} << 62;
Element PopularNumber(Random& random, double) {
  return Random(DrawZipf(random, 1.1, 1'000'000)).Next() >> 2;
}
Element LaterNumber(std::uint64_t number) {
  return kBeyondNumbers + static_cast<std::int64_t>(number);
}

// Around plus and minus 10^15. Packed integers begin with their length: around zero two bytes more
// would be enough to tell them apart (with a deviation of 2^58 the error is 0.5 %).
Element NormalNumber(Random& random, double) {
  const double middle = random.Chance(0.5) ? 1e15 : -1e15;
  return static_cast<std::int64_t>(middle + DrawNormal(random) * 1e9);
}

Element Lognormal(Random& random, double) { return std::exp(DrawNormal(random)); }
Element LaterDouble(std::uint64_t number) { return 1e9 + 0.25 * static_cast<double>(number); }

Uuid RandomUuid(Random& random, int version) {
  const std::string bytes = RandomBytes(random, 8) + RandomBytes(random, 8);
  Uuid uuid;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    uuid.bytes[i] = static_cast<std::uint8_t>(bytes[i]);
  }
  uuid.bytes[6] = static_cast<std::uint8_t>((uuid.bytes[6] & 0x0f) | (version << 4));
  uuid.bytes[8] = static_cast<std::uint8_t>((uuid.bytes[8] & 0x3f) | 0x80);
  return uuid;
}
Element UuidText(Random& random, double) { return Text(RandomUuid(random, 4).ToString()); }
Element LaterUuidText(std::uint64_t number) {
  return Text(fmt::format("ffffffff-ffff-4fff-bfff-{:012x}", number));
}

Uuid UuidAt(std::int64_t milliseconds, Random& random) {
  Uuid uuid = RandomUuid(random, 7);
  const std::string time = BigEndian(static_cast<std::uint64_t>(milliseconds), 6);
  for (std::size_t i = 0; i < time.size(); ++i) {
    uuid.bytes[i] = static_cast<std::uint8_t>(time[i]);
  }
  return uuid;
}
// They come in the order of their times, as they do where they are made.
Element TimedUuid(Random& random, double share) {
  return UuidAt(kMonthStart + static_cast<std::int64_t>(share * static_cast<double>(kMonth)),
                random);
}
Element LaterTimedUuid(std::uint64_t number) {
  Random random(number);
  return UuidAt(LaterMoment(number), random);
}

// Page views: few hosts, sections and articles have most of them.
Element Url(Random& random, double) {
  constexpr std::array<std::string_view, 8> kSections = {
      "news", "products", "articles", "help", "en/docs", "search", "users", "images/thumbnails"};
  const std::uint64_t host = DrawZipf(random, 1.1, 300);
  const std::string_view section = kSections[DrawZipf(random, 1.2, kSections.size()) - 1];
  const std::uint64_t page = DrawZipf(random, 1.1, 100'000);
  const std::string place = fmt::format("{:05x}", Random(page).Next() % 0x100000);
  const std::string query = random.Chance(0.2) ? fmt::format("?page={}", 1 + random.Below(20)) : "";
  return Text(fmt::format("https://www.{}{}.example/{}/{}-{}{}", host % 3 == 0 ? "shop" : "site",
                          host, section, place, page, query));
}
Element LaterUrl(std::uint64_t number) {
  return Text(fmt::format("https://www.zone.example/archive/{:09}", number));
}

constexpr std::array kDataSets = {
    DataSet{"uniform", "8 random bytes", false, Uniform, LaterBytes},
    DataSet{"zipf", "8 bytes, 80 % of them with one of 3 prefixes of two bytes", true,
            ThreePrefixes, LaterBytes},
    DataSet{"clustered", "8 bytes, with one of 5 prefixes of four bytes", true, FivePrefixes,
            LaterBytes},
    DataSet{"user-ids", "text, user:%08d", true, AnyUser, NewUser},
    DataSet{"timestamps", "integers, ms over 30 days", true, Moment,
            [](std::uint64_t number) -> Element { return LaterMoment(number); }},
    DataSet{"int64-zipf", "integers of 62 bits, a million of them, zipf 1.1", true, PopularNumber,
            LaterNumber},
    DataSet{"int64-normal", "integers, normal around plus and minus 10^15", true, NormalNumber,
            LaterNumber},
    DataSet{"lognormal", "doubles, lognormal", true, Lognormal, LaterDouble},
    DataSet{"uuid4-text", "text, UUIDs of version 4", true, UuidText, LaterUuidText},
    DataSet{"uuid7", "UUIDs of version 7 over 30 days", true, TimedUuid, LaterTimedUuid},
    DataSet{"urls", "text, URLs of page views", true, Url, LaterUrl},
};

std::string Packed(Element element) {
  Tuple value;
  value.push_back(std::move(element));
  return Must(Pack(value));
}

}  // namespace

// By inversion of the continuous distribution k^-exponent on [1, count + 1), rounded down.
std::uint64_t DrawZipf(Random& random, double exponent, std::uint64_t count) {
  const double tail = 1 - exponent;
  const double end = std::pow(static_cast<double>(count) + 1, tail);
  const double drawn = std::pow(1 - Fraction(random) * (1 - end), 1 / tail);
  return std::min(static_cast<std::uint64_t>(drawn), count);
}

double DrawNormal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - Fraction(random)));
  return radius * std::cos(2 * std::numbers::pi * Fraction(random));
}

const DataSet& DataSet::Named(std::string_view name) {
  const auto found = std::ranges::find(DataSets(), name, &DataSet::name);
  TALEA_CHECK(found != DataSets().end());
  return *found;
}

std::vector<std::string> DataSet::Values(std::size_t count) const {
  Random random(1);
  std::vector<std::string> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(Packed(draw(random, static_cast<double>(i) / static_cast<double>(count))));
  }
  return values;
}

std::vector<std::string> DataSet::LaterValues(std::size_t count) const {
  std::vector<std::string> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) values.push_back(Packed(later(i)));
  return values;
}

std::span<const DataSet> DataSets() { return kDataSets; }

}  // namespace talea::bench
