#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainOData
import HTTPTypes
import Testing

struct Person: ODataEntity, Codable, Hashable {
    var name: String
    var age: Int
    var nick: String?
    var score: Double
    var friends: [Person]

    static var odataNames: [PartialKeyPath<Person>: String] {
        [\.name: "Name", \.age: "Age", \.nick: "Nick", \.score: "Score", \.friends: "Friends"]
    }
}

typealias Filter = ODataExpression<Person>

@Suite("OData queries", .timeLimit(.minutes(10)))
struct QueryTests {
    @Test("A query is a URL by the ABNF, percent-encoded once")
    func wholeQuery() throws {
        let query = ODataQuery<Person>("People")
            .filter(\.age > 30 && .property("Name").startsWith("A"))
            .orderBy(.property("Name"), .descending).orderBy(\.age)
            .top(10).skip(20)
            .select("Name", "Age").select(\.nick)
            .expand("Friends") { $0.select("Name").top(3).expand("Trips") }
            .count()
            .search("mountain" && !.phrase("electric bike"))
            .option("tenant", "a&b/c")
        #expect(
            try query.url()
                == "People?$filter=Age%20gt%2030%20and%20startswith(Name,'A')&$orderby=Name%20desc,Age&$top=10&$skip=20"
                + "&$select=Name,Age,Nick&$expand=Friends($top=3;$select=Name;$expand=Trips)&$count=true"
                + "&$search=mountain%20AND%20(NOT%20%22electric%20bike%22)&tenant=a%26b%2Fc"
        )
        let request = try query.request()
        #expect(request.headers[.accept] == "application/json")
        #expect(request.headers[.odataMaximumVersion] == "4.01")
        #expect(
            try ODataQuery<Person>("People/$count").filter(\.age > 1).url() == "People/$count?$filter=Age%20gt%201"
        )
    }

    @Test(
        "A query is appended to the root of the service, with the fields of OData unless the request has its own",
        arguments: [
            ("", "People?$top=3"), ("v4", "v4/People?$top=3"), ("v4/", "v4/People?$top=3"),
            ("https://odata.example.com/v4", "https://odata.example.com/v4/People?$top=3"),
            ("https://odata.example.com", "https://odata.example.com/People?$top=3"),
        ]
    )
    func appended(root: String, url: String) throws {
        let query = ODataQuery<Person>("People").top(3)
        let request = try Request.get(root).odata(query)
        #expect(request.url == url)
        #expect(request.headers[.odataMaximumVersion] == "4.01")
        #expect(request.headers[.accept] == "application/json")
        let own = try Request.get(root, headers: [.accept: "application/json;odata.metadata=full"]).odata(query)
        #expect(own.headers[fields: .accept].map(\.value) == ["application/json;odata.metadata=full"])
        #expect(throws: ODataQueryError.self) { try Request.get(root).odata(query.top(-1)) }
    }

    static let literals: [(any ODataLiteralConvertible, String)] = [
        ("O'Neil", "'O''Neil'"), ("", "''"), (true, "true"), (-5, "-5"), (UInt64.max, "18446744073709551615"),
        (2.5, "2.5"), (1e-7, "1e-07"), (Float(0.1), "0.1"), (-Float.infinity, "-INF"), (Float(1e20), "1e+20"),
        (Double.infinity, "INF"), (-Double.infinity, "-INF"), (Double.nan, "NaN"),
        (Decimal(string: "12.340") ?? 0, "12.34"), (Optional<Int>.none, "null"), (Optional(3), "3"),
        (UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF") ?? UUID(), "01234567-89ab-cdef-0123-456789abcdef"),
        (Date(timeIntervalSince1970: 0), "1970-01-01T00:00:00Z"),
        (Date(timeIntervalSince1970: 1.5), "1970-01-01T00:00:01.500Z"),
        (Duration.seconds(90), "duration'PT90S'"), (Duration.milliseconds(-1500), "duration'-PT1.5S'"),
        (Data([0xFB, 0xFF, 0xFE]), "binary'-__-'"),
        (ODataLiteral.enumeration("Ns.Color", "Yellow", "Red"), "Ns.Color'Yellow,Red'"),
        (ODataLiteral.date(year: 2026, month: 2, day: 3), "2026-02-03"),
        (ODataLiteral.date(year: -5, month: 2, day: 3), "-0005-02-03"),
        (ODataLiteral.date(year: .min, month: 1, day: 1), "-9223372036854775808-01-01"),
        (ODataLiteral.timeOfDay(hour: 7, minute: 5, nanosecond: 500_000_000), "07:05:00.5"),
    ]

    @Test("A literal of every primitive type is written as OData has it", arguments: 0..<literals.count)
    func literal(index: Int) throws {
        let (value, text) = Self.literals[index]
        #expect(value.odataLiteral.text == text)
    }

    static let filters: [(Filter, String)] = [
        (\.age > 30, "Age gt 30"), (\.age != 30, "Age ne 30"), (\.age <= 30, "Age le 30"),
        (\.nick == nil, "Nick eq null"),
        (\.name == "O'Neil", "Name eq 'O''Neil'"), (!(\.age < 3), "not (Age lt 3)"),
        ((\.age < 1 || \.age > 9) && \.score >= 0.5, "(Age lt 1 or Age gt 9) and Score ge 0.5"),
        (\.age < 1 || \.age > 9 && \.score >= 0.5, "Age lt 1 or Age gt 9 and Score ge 0.5"),
        (.property(\.age) + .value(6) > .property("Limit"), "Age add 6 gt Limit"),
        ((.property(\.age) - (.property(\.age) - .value(1))) == 1, "Age sub (Age sub 1) eq 1"),
        ((.property(\.age) + .value(1)) * .property("B") == 1, "(Age add 1) mul B eq 1"),
        (.property(\.age) % .value(2) == 0, "Age mod 2 eq 0"),
        (-.property(\.age) < 0, "(-(Age)) lt 0"), (!(\.age < 3) == .value(true), "(not (Age lt 3)) eq true"),
        (.property(\.age).isIn([1, 2]), "Age in (1,2)"), (.property("Name").isIn([String]()), "false"),
        (.property(\.age).isIn([1]) && \.age > 0, "Age in (1) and Age gt 0"),
        (.property("Kind").has(.enumeration("Ns.Kind", "Big")), "Kind has Ns.Kind'Big'"),
        (.property("Kind").has(.enumeration("Ns.Kind", "Big")) == true, "(Kind has Ns.Kind'Big') eq true"),
        (.property(\.age).isIn([1, 2]) == .value(true), "(Age in (1,2)) eq true"),
        (
            .property(\.name).contains("a") && .property("Name").endsWith("z"),
            "contains(Name,'a') and endswith(Name,'z')"
        ),
        (.property(\.name).lowercased().trimmed().length() > 3, "length(trim(tolower(Name))) gt 3"),
        (.property(\.name).substring(from: 1, length: 2) == "ab", "substring(Name,1,2) eq 'ab'"),
        (.property(\.name).concatenated(with: .value("!")).index(of: "!") == 3, "indexof(concat(Name,'!'),'!') eq 3"),
        (.property("Born").part(.year) == 1969 && .property("Born") < .now, "year(Born) eq 1969 and Born lt now()"),
        (.property(\.score).rounded() == 4, "round(Score) eq 4"),
        (.function("cast", .property("Size"), .property("Edm.String")) == "4", "cast(Size,Edm.String) eq '4'"),
        (.any(\.friends) { $0[\.age] > 3 }, "Friends/any(x0:x0/Age gt 3)"),
        (.property("Tags").all { $0.value != "x" }, "Tags/all(x0:x0 ne 'x')"),
        (.property("Tags").isNotEmpty(), "Tags/any()"),
        (
            .any(\.friends) { friend in friend["Trips"].any { trip in trip["Cost"] > friend["Budget"] } },
            "Friends/any(x0:x0/Trips/any(x1:x1/Cost gt x0/Budget))"
        ),
        (
            .any(\.friends) { $0[\.age] > 3 } && .all(\.friends) { $0[\.age] < 9 },
            "Friends/any(x0:x0/Age gt 3) and Friends/all(x0:x0/Age lt 9)"
        ),
        (.raw("Ns.Near(Here) or true") && \.age > 1, "(Ns.Near(Here) or true) and Age gt 1"),
        (.function("geo.distance", .property("Here"), .property("There")) < 3, "geo.distance(Here,There) lt 3"),
        (.function("Ns.Near", ["place": .property("Here"), "limit": .value(3)]), "Ns.Near(place=Here,limit=3)"),
    ]

    @Test(
        "A filter of every operator and function is written with the brackets that it needs",
        arguments: 0..<filters.count
    )
    func filter(index: Int) throws {
        let (filter, text) = Self.filters[index]
        #expect(try filter.text() == text)
    }

    @Test("Characters that mean something in a URL are encoded, in filters and in keys")
    func encoding() throws {
        let query = ODataQuery<Person>("People").filter(\.name == "a+b & c#d%/é=;?'")
        #expect(
            try query.url() == "People?$filter=Name%20eq%20'a%2Bb%20%26%20c%23d%25%2F%C3%A9=;%3F'''"
        )
        // Slashes are data in strings alone, whatever quotes stand before: in paths they separate names.
        let paths = ODataQuery<Person>("P").filter(
            .raw(#"hassubset(Tags,["it's \"","a/b"])"#) && .property("Address/City") == "a/b"
        ).orderBy(.property("Address/City")).search(.phrase("it's a/b"))
        #expect(
            try paths.url()
                == "P?$filter=(hassubset(Tags,%5B%22it's%20%5C%22%22,%22a/b%22%5D))%20and%20Address/City%20eq%20'a%2Fb'"
                + "&$orderby=Address/City&$search=%22it's%20a/b%22"
        )
        let moment = ODataQuery<Person>("People").filter(.property("Born") > .raw("2026-01-01T00:00:00+02:00"))
        #expect(try moment.url().contains("+") == false)
        #expect(try ODataQuery<Person>("People").key("O'Neil/x").url() == "People('O''Neil%2Fx')")
        #expect(try ODataQuery<Person>("People").key(["SSN": "1/2"]).url() == "People(SSN='1%2F2')")
        #expect(
            try ODataQuery<Person>("Items").key(["OrderID": 1, "No": "b"]).navigating(to: "Product", as: Person.self)
                .top(1).url()
                == "Items(OrderID=1,No='b')/Product?$top=1"
        )
        let id = try #require(UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF"))
        #expect(try ODataQuery<Person>("A").key(id).url() == "A(01234567-89ab-cdef-0123-456789abcdef)")
    }

    @Test("Expansions have options of their own, to any depth")
    func expansions() throws {
        let query = ODataQuery<Person>("People")
            .expand("Friends", as: Person.self) { friends in
                friends.filter(\.age > 3).filter(.property("Name") != "x").orderBy(\.name).skip(1).count()
                    .search("a" || "b").expand("Trips", levels: .max)
            }
            .expand("Best", levels: 2) { $0.orderBy(.property("Age")) }
            .expand("Rest")
        #expect(
            try query.url().removingPercentEncoding
                == "People?$expand=Friends($filter=Age gt 3 and Name ne 'x';$orderby=Name;$skip=1;"
                + "$expand=Trips($levels=max);$count=true;$search=a OR b),"
                + "Best($orderby=Age;$levels=2),Rest"
        )
    }

    @Test("What cannot be written is an error that names it")
    func errors() throws {
        func problem(_ query: ODataQuery<Person>) -> ODataQueryError.Problem? {
            do {
                _ = try query.url()
                return nil
            } catch {
                return error.problem
            }
        }
        let people = ODataQuery<Person>("People")
        for name in ["", "a b", "x'y", "1a", "a//b", "a)or(true", "a&b", "a eq 1"] {
            #expect(problem(people.filter(.property(name) == 1)) == .invalidName(name))
            #expect(problem(people.filter(.function(name))) == .invalidName(name))
            #expect(problem(people.filter(.function("F", [name: .value(1)]))) == .invalidName(name))
            #expect(problem(people.key([name: 1])) == .invalidName(name))
            #expect(problem(people.orderBy(.property(name))) == .invalidName(name))
            #expect(problem(people.select(name)) == .invalidName(name))
            #expect(problem(people.expand(name)) == .invalidName(name))
            #expect(problem(ODataQuery(name)) == .invalidName(name))
        }
        #expect(problem(people.top(-1)) == .negativeCount(-1))
        #expect(problem(people.expand("F", levels: -1)) == .negativeCount(-1))
        // Two values for one option.
        #expect(problem(people.top(3).option("$top", "5")) == .invalidName("$top"))
        #expect(problem(people.top(3).option("$format", "json")) == nil)
        #expect(problem(people.expand("F") { $0.key(1) }) == .invalidExpansion("F"))
        let path = people.expand("F") { $0.navigating(to: "B", as: ODataAnyEntity.self) }
        #expect(problem(path) == .invalidExpansion("F"))
        #expect(problem(people.expand("F") { $0.expand("G") { $0.option("a", "b") } }) == .invalidExpansion("G"))
        #expect(problem(people.filter(.raw("  "))) == .emptyFragment)
        guard case .unnamedKeyPath(let path)? = problem(people.filter(\.name.count == 3)) else {
            Issue.record("a key path without a name was written")
            return
        }
        #expect(path.contains("name"))
        var deep: Filter = \.age == 1
        for number in 0..<300 { deep = deep && \.age == number }
        #expect(problem(people.filter(deep)) == .tooDeep)
        for name in ["größe", "_a", "a1", "Ns.Type/Name", "$it/Name", "Friends/$count"] {
            #expect(problem(people.filter(.property(name) == 1)) == nil)
        }
    }

    @Test(
        "Search words that are no words are phrases",
        arguments: [
            (ODataSearch.word("bike"), "bike"), (.word("AND"), "\"AND\""), (.word("two words"), "\"two words\""),
            (.phrase(#"a"b\c"#), #""a\"b\\c""#), ("a" && ("b" || "c"), "a AND (b OR c)"), (.word(""), "\"\""),
        ]
    )
    func search(search: ODataSearch, text: String) throws {
        let url = try ODataQuery<Person>("P").search(search).url()
        #expect(url.removingPercentEncoding == "P?$search=\(text)")
    }

    @Test("A page has its entities, their number and the next link, in the ways services write them")
    func page() throws {
        struct Item: Codable, Equatable { var id: Int }
        func page(_ text: String) throws -> ODataPage<Item> {
            try JSONDecoder().decode(ODataPage<Item>.self, from: Data(text.utf8))
        }
        let full = try page(
            #"{"@odata.context":"x","@odata.count":42,"@odata.nextLink":"P?$skiptoken=1","value":[{"id":1}]}"#
        )
        #expect(full.value == [Item(id: 1)] && full.count == 42 && full.nextLink == "P?$skiptoken=1")
        let short = try page(#"{"@count":"42","@nextLink":"n","@deltaLink":"d","value":[]}"#)
        #expect(short.count == 42 && short.nextLink == "n" && short.deltaLink == "d")
        let large: Int64? = try page(#"{"@count":5000000000,"value":[]}"#).count
        #expect(large == 5_000_000_000)
        let bare = try page(#"{"value":[]}"#)
        #expect(bare.count == nil && bare.nextLink == nil && bare.deltaLink == nil)
        #expect(throws: DecodingError.self) { try page(#"{"items":[]}"#) }
    }
}
#endif
