#include "cli/entry_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "talea/testing/result_matchers.h"

namespace talea::cli {
namespace {

using testing::HasSubstr;

EntryArguments Arguments() {
  return {.value = {"city"}, .document = "id", .types = "", .document_type = "", .missing = {}};
}

Result<EntryRules> Rules(const EntryArguments& arguments, std::uint8_t elements = 1) {
  IndexInformation index{.name = "people", .options = {.elements = elements}};
  return EntryRules::Make(arguments, index, {.key_bytes = 1000});
}

Result<std::optional<IndexEntry>> Apply(const EntryArguments& arguments,
                                        std::optional<Element> value,
                                        std::optional<Element> document = Element("ada")) {
  return TALEA_TRY(Rules(arguments))
  .Apply({.value = {std::move(value)}, .document = std::move(document)});
}

TEST(EntryRules, TakeWhatIsFoundAsItIs) {
  EXPECT_EQ(Apply(Arguments(), Element("London")), (IndexEntry{{"London"}, "ada"}));
  EXPECT_EQ(Apply(Arguments(), Element(1.5), Element(7)), (IndexEntry{{1.5}, 7}));
}

TEST(EntryRules, ConvertToTheTypesThatAreAskedFor) {
  EntryArguments arguments = Arguments();
  arguments.types = "integer";
  arguments.document_type = "integer";
  EXPECT_EQ(Apply(arguments, Element("36"), Element("7")), (IndexEntry{{36}, 7}));
  const auto wrong = Apply(arguments, Element("old"), Element("7"));
  ASSERT_ERROR(wrong, ErrorCode::invalid_argument);
  EXPECT_EQ(wrong.error().message(), "\"city\": expected integer, found \"old\"");
}

TEST(EntryRules, TakeNothingForNullButInText) {
  EntryArguments arguments = Arguments();
  EXPECT_EQ(Apply(arguments, Element("")), (IndexEntry{{""}, "ada"}));
  arguments.types = "text";
  EXPECT_EQ(Apply(arguments, Element("")), (IndexEntry{{""}, "ada"}));
  arguments.types = "float64";
  EXPECT_EQ(Apply(arguments, Element("")), (IndexEntry{{nullptr}, "ada"}));
}

TEST(EntryRules, SayWhatAMissingValueMeans) {
  EntryArguments arguments = Arguments();
  const auto failed = Apply(arguments, std::nullopt);
  ASSERT_ERROR(failed, ErrorCode::invalid_argument);
  EXPECT_THAT(failed.error().message(), HasSubstr("\"city\": expected a value, found nothing"));
  arguments.missing = "null";
  EXPECT_EQ(Apply(arguments, std::nullopt), (IndexEntry{{nullptr}, "ada"}));
  EXPECT_ERROR(Apply(arguments, Element("London"), std::nullopt), ErrorCode::invalid_argument);
  arguments.missing = "skip";
  EXPECT_EQ(Apply(arguments, std::nullopt), std::nullopt);
}

TEST(EntryRules, SayWhatAnEmptyValueMeansThatIsNoText) {
  EntryArguments arguments = Arguments();
  arguments.types = "integer";
  arguments.missing = "null";
  EXPECT_EQ(Apply(arguments, Element("")), (IndexEntry{{nullptr}, "ada"}));
  arguments.missing = "skip";
  EXPECT_EQ(Apply(arguments, Element("")), std::nullopt);
  arguments.missing = "fail";
  const auto failed = Apply(arguments, Element(""));
  ASSERT_ERROR(failed, ErrorCode::invalid_argument);
  EXPECT_THAT(failed.error().message(), HasSubstr("\"city\": expected a value, found nothing"));
  EXPECT_EQ(Apply(arguments, Element()), (IndexEntry{{nullptr}, "ada"}));
  arguments.types = "text";
  EXPECT_EQ(Apply(arguments, Element("")), (IndexEntry{{""}, "ada"}));
}

TEST(EntryRules, RefuseADocumentThatIsNone) {
  EntryArguments arguments = Arguments();
  const auto null = Apply(arguments, Element("London"), Element());
  ASSERT_ERROR(null, ErrorCode::invalid_argument);
  EXPECT_EQ(null.error().message(), "\"id\": expected a document, found null");
  EXPECT_EQ(Apply(arguments, Element("London"), Element("")), (IndexEntry{{"London"}, ""}));
  arguments.document_type = "integer";
  arguments.missing = "null";
  const auto empty = Apply(arguments, Element("London"), Element(""));
  ASSERT_ERROR(empty, ErrorCode::invalid_argument);
  EXPECT_EQ(empty.error().message(), "\"id\": expected a document, found nothing");
}

TEST(EntryRules, HaveAFingerprintThatOtherArgumentsChange) {
  EntryArguments arguments = Arguments();
  EXPECT_EQ(FingerprintOf(arguments), "--value city --document id");
  arguments.types = "integer";
  arguments.document_type = "text";
  arguments.missing = "skip";
  EXPECT_EQ(FingerprintOf(arguments),
            "--value city --document id --types integer --document-type text --missing skip");
  EntryArguments odd{.value = {"a --document b"}, .document = "c"};
  EXPECT_EQ(FingerprintOf(odd), "--value \"a --document b\" --document c");
}

TEST(EntryRules, RefuseWhatNoKeyCanHold) {
  EXPECT_ERROR(Apply(Arguments(), Element(Text(std::string(1000, 'x')))),
               ErrorCode::invalid_argument);
  EXPECT_ERROR(Apply(Arguments(), Element("\xff")), ErrorCode::invalid_argument);
}

TEST(EntryRules, HaveToFitTheIndex) {
  EXPECT_ERROR(Rules(Arguments(), 2), ErrorCode::invalid_argument);
  EntryArguments arguments = Arguments();
  arguments.types = "text,text";
  const auto rules = Rules(arguments);
  ASSERT_ERROR(rules, ErrorCode::invalid_argument);
  EXPECT_EQ(rules.error().message(), "--types: expected 1, one for each --value, found 2");
}

}  // namespace
}  // namespace talea::cli
