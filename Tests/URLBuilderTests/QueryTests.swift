import Foundation
import HTTPChainCore
import HTTPChainURLBuilder
import TestSupport
import Testing

private enum Sort: String, Codable, URLValueConvertible { case newest, oldest }

private struct Filter: Encodable {
    struct Range: Encodable {
        var minPrice: Int?
        var maxPrice: Double?
    }
    var searchText: String?
    var onlyNew = true
    var tagIDs = [1, 2]
    var priceRange = Range(minPrice: 1, maxPrice: 2.5)
    var sort = Sort.newest
    var since: Date?
    var cursor: String?
}

private struct Items: Encodable {
    struct Item: Encodable { var id: Int; var note: String? }
    var items = [Item(id: 1, note: "a"), Item(id: 2)]
}

@Suite("A query")
struct QueryTests {
    @Test("A query writes pairs in order, with everything but unreserved characters percent-encoded")
    func pairs() throws {
        let none: Int? = nil
        let some: Int? = 7
        let query: URLQuery = [
            "q": "a b&c=d+é/?#[]", "n": 1, "f": 0.5, "t": true, "n": 2, "none": none, "some": some, "nil": nil,
            "sort": Sort.oldest,
            "é ": UInt64.max, "d": Decimal(string: "1.10"),
        ]
        #expect(
            try ParameterEncoder().encode(query)
                == "q=a%20b%26c%3Dd%2B%C3%A9%2F%3F%23%5B%5D&n=1&f=0.5&t=true&n=2&some=7&sort=oldest"
                + "&%C3%A9%20=18446744073709551615&d=1.1"
        )
        #expect(try ParameterEncoder().encode([:] as URLQuery) == "")
    }

    @Test(
        "A query writes lists in the style of the server",
        arguments: [
            (ParameterEncoder.Arrays.repeated, "a=1&a=2%2C3&b=x&e="),
            (.brackets, "a%5B%5D=1&a%5B%5D=2%2C3&b=x&e%5B%5D="),
            (.indexed, "a%5B0%5D=1&a%5B1%5D=2%2C3&b=x&e%5B0%5D="), (.commas, "a=1,2%2C3&b=x&e="),
            (.pipes, "a=1%7C2%2C3&b=x&e="), (.rack, "a%5B%5D=1&a%5B%5D=2%2C3&b=x&e%5B%5D="),
        ]
    )
    func arrays(style: ParameterEncoder.Arrays, expected: String) throws {
        let query: URLQuery = ["a": ["1", "2,3"], "none": [String](), "b": "x", "nulls": [nil] as URLValue, "e": [""]]
        #expect(try ParameterEncoder(arrays: style).encode(query) == expected)
    }

    @Test("A query keeps the brackets of names that carry them, where brackets stay")
    func namesWithBrackets() throws {
        let query: URLQuery = ["filter[name]": "x[1]", "page[size]": 2]
        #expect(
            try ParameterEncoder(keepsBrackets: true).encode(query) == "filter[name]=x%5B1%5D&page[size]=2"
        )
        #expect(try ParameterEncoder().encode(query) == "filter%5Bname%5D=x%5B1%5D&page%5Bsize%5D=2")
    }

    @Test("A query says that a value with a pipe cannot be in a list with pipes")
    func pipes() throws {
        let error = try #require(throws: URLBuilderError.self) {
            try ParameterEncoder(arrays: .pipes).encode(["a": ["1|2"]] as URLQuery)
        }
        #expect(error.reason.contains("\"a\"") && error.reason.contains("pipe"))
    }

    @Test("A query writes spaces as pluses where asked to")
    func spaces() throws {
        #expect(try ParameterEncoder(spaces: .plus).encode(["a b": "c+d e"] as URLQuery) == "a+b=c%2Bd+e")
    }

    @Test("A query leaves the keys of a dictionary as they are: they are data")
    func dataKeys() throws {
        struct Value: Encodable { var firstName = ["lastName": 1] }
        #expect(try ParameterEncoder(keys: .snakeCase, nesting: .dots).encode(Value()) == "first_name.lastName=1")
    }

    @Test("A query writes keys in snake case as Foundation's JSON encoder does", .seeded)
    func foundationsSnakeCase() throws {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct Value: Encodable {
            let key: String
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(1, forKey: Key(stringValue: key))
            }
        }
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        var random = Numbers(Seed.numbers(15))
        var keys = ["userID", "myURLPath2A", "aB2C", "URL", "a", "A", "_x", "x_", "éÉa", "HTTPSServer", "iOSVersion"]
        let letters = Array("abAB1_éÉ")
        for _ in 0..<5000 {
            let length = Int.random(in: 1...10, using: &random)
            keys.append(String((0..<length).map { _ in letters.randomElement(using: &random) ?? "a" }))
        }
        for key in keys {
            let json = String(decoding: try encoder.encode(Value(key: key)), as: UTF8.self)
            let query = try ParameterEncoder(keys: .snakeCase).encode(Value(key: key)).removingPercentEncoding ?? ""
            #expect(json == "{\"\(query.dropLast(2))\":1}", "\(key)")
        }
    }

    @Test(
        "A query encodes 100,000 elements and 20,000 keys in time that grows with their number",
        .timeLimit(.minutes(10))
    )
    func many() throws {
        struct Value: Encodable {
            let list: [Int]
            let map: [String: Int]
        }
        let map = Dictionary(uniqueKeysWithValues: (0..<20_000).map { ("k\($0)", $0) })
        let text = try ParameterEncoder().encode(Value(list: Array(0..<100_000), map: map))
        #expect(text.utf8.split(separator: UInt8(ascii: "&")).count == 120_000)
    }

    @Test("A query writes brackets as they are for servers that insist")
    func bareBrackets() throws {
        let query: URLQuery = ["a": [1, 2], "b": ["c d": ["e": 3]] as URLValue]
        let kept = try ParameterEncoder(arrays: .brackets, keepsBrackets: true).encode(query)
        #expect(kept == "a[]=1&a[]=2&b[c%20d][e]=3")
        #expect(try ParameterEncoder(nesting: .dots).encode(query) == "a=1&a=2&b.c%20d.e=3")
    }

    @Test("A query writes Encodable values: nested keys, nil, dates, enums")
    func encodable() throws {
        var filter = Filter(searchText: "x y", since: Date(timeIntervalSince1970: 0))
        #expect(
            try ParameterEncoder().encode(filter)
                == "searchText=x%20y&onlyNew=true&tagIDs=1&tagIDs=2&priceRange%5BminPrice%5D=1&priceRange%5BmaxPrice%5D=2.5"
                + "&sort=newest&since=1970-01-01T00%3A00%3A00Z"
        )
        filter.priceRange.minPrice = nil
        filter.since = nil
        let encoder = ParameterEncoder(arrays: .commas, nesting: .dots, nils: .empty, booleans: .digits)
        #expect(
            try encoder.encode(filter)
                == "searchText=x%20y&onlyNew=1&tagIDs=1,2&priceRange.minPrice=&priceRange.maxPrice=2.5&sort=newest&since=&cursor="
        )
    }

    @Test(
        "A query writes keys in the style of the server, nested ones and those of pairs too",
        arguments: [
            ("snake", "search_text= &price_range.max_price=1&my_url_path2_a=1&_x=1&user_id=1"),
            ("kebab", "search-text= &price-range.max-price=1&my-url-path2-a=1&_x=1&user-id=1"),
            ("upper", "SEARCHTEXT= &PRICERANGE.MAXPRICE=1&MYURLPATH2A=1&_X=1&USERID=1"),
            ("as is", "searchText= &priceRange.maxPrice=1&myURLPath2A=1&_x=1&userID=1"),
        ]
    )
    func keys(style: String, expected: String) throws {
        let styles: [String: ParameterEncoder.Keys] = [
            "snake": .snakeCase, "kebab": .kebabCase, "upper": .custom { $0.uppercased() }, "as is": .asIs,
        ]
        let query: URLQuery = [
            "searchText": " ", "priceRange": ["maxPrice": 1] as URLValue, "myURLPath2A": 1, "_x": 1, "userID": 1,
        ]
        let encoder = ParameterEncoder(keys: try #require(styles[style]), nesting: .dots)
        #expect(try encoder.encode(query) == expected.replacing("= ", with: "=%20"))
    }

    @Test("A query keeps keyed values of a list apart, in the commas style too")
    func listsOfValues() throws {
        #expect(
            try ParameterEncoder(arrays: .indexed, keepsBrackets: true).encode(Items())
                == "items[0][id]=1&items[0][note]=a&items[1][id]=2"
        )
        for style in [ParameterEncoder.Arrays.commas, .pipes, .brackets, .repeated] {
            #expect(
                try ParameterEncoder(arrays: style, keepsBrackets: true).encode(Items())
                    == "items[0][id]=1&items[0][note]=a&items[1][id]=2"
            )
        }
        #expect(
            try ParameterEncoder(arrays: .indexed, nesting: .dots, keepsBrackets: true).encode(Items())
                == "items[0].id=1&items[0].note=a&items[1].id=2"
        )
        #expect(
            try ParameterEncoder(arrays: .rack, keepsBrackets: true).encode(Items())
                == "items[][id]=1&items[][note]=a&items[][id]=2"
        )
    }

    struct Step: Encodable {
        var x: Int?
        var y: Int?
        var tags: [String]?
        var size: [String: Int]?
    }

    static let rackLists: [(value: [String: [Step]], expected: String)] = [
        (["a": [Step(x: 1, y: 2), Step(x: 3)]], "a[][x]=1&a[][y]=2&a[][x]=3"),
        (["a": [Step(x: 1, y: 2), Step(y: 3)]], "a[][x]=1&a[][y]=2&a[][y]=3"),
        (
            ["a": [Step(x: 1, tags: ["b", "c"]), Step(x: 2, size: ["w": 1])]],
            "a[][x]=1&a[][tags][]=b&a[][tags][]=c&a[][x]=2&a[][size][w]=1"
        ),
        (["a": [Step(size: ["w": 1]), Step(size: ["w": 2])]], "a[][size][w]=1&a[][size][w]=2"),
        (["a": [Step(tags: ["b"])]], "a[][tags][]=b"),
    ]

    @Test("A query for Rack writes keyed values that each begin with a key of the one before", arguments: 0..<5)
    func rackLists(index: Int) throws {
        let (value, expected) = Self.rackLists[index]
        #expect(try ParameterEncoder(arrays: .rack, keepsBrackets: true).encode(value) == expected)
    }

    @Test("A query for Rack says that it can't write a list that Rack would read as another value")
    func notForRack() throws {
        for keepsBrackets in [true, false] {
            let encoder = ParameterEncoder(arrays: .rack, keepsBrackets: keepsBrackets)
            for steps in [
                [Step(x: 1), Step(y: 3)], [Step(tags: ["b"]), Step(tags: ["c"])],
                [Step(size: ["w": 1]), Step(size: ["h": 1])], [Step(x: 1), Step(x: 2, y: 1), Step(size: ["w": 1])],
            ] {
                #expect(throws: EncodingError.self) { try encoder.encode(["a": steps]) }
            }
            #expect(throws: EncodingError.self) { try encoder.encode(["a": [[1, 2], [3]]]) }
            #expect(throws: EncodingError.self) { try encoder.encode(["a": [[[1]]]]) }
        }
        let encoder = ParameterEncoder(arrays: .rack, keepsBrackets: true)
        #expect(try encoder.encode(["a": [[1], [2]]]) == "a[][]=1&a[][]=2")
    }

    @Test("A query writes dictionaries sorted by key, so that a URL comes out the same each time")
    func dictionaries() throws {
        let dictionary = Dictionary(uniqueKeysWithValues: (0..<50).map { ("k\($0)", $0) })
        let expected = dictionary.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        #expect(try ParameterEncoder().encode(dictionary) == expected)
        #expect(try ParameterEncoder().encode(URLQuery(URLParameters(dictionary))) == expected)
        #expect(try ParameterEncoder(nesting: .dots).encode(["a": ["z": 1, "b": 2]]) == "a.b=2&a.z=1")
    }

    @Test("A query joins pairs, values and ready-made text; ready-made text stays as it is")
    func mixed() throws {
        let query = URLQuery.encoding(["a": 1]) + ["b": 2] + .raw("c=%20+&d=[x]#é") + .raw("")
        #expect(try ParameterEncoder().encode(query) == "a=1&b=2&c=%20+&d=[x]%23%C3%A9")
        #expect(query.isEmpty == false)
    }

    @Test("A query says which parameter cannot be written")
    func errors() throws {
        struct Bad: Encodable, Sendable {
            var outer = ["x": Double.infinity]
        }
        let error = try #require(throws: URLBuilderError.self) {
            try ParameterEncoder().encode(URLQuery.encoding(Bad()))
        }
        #expect(error.reason.contains("outer[x]"))
        let unkeyed = try #require(throws: URLBuilderError.self) {
            try ParameterEncoder().encode(URLQuery.encoding([1, 2]))
        }
        #expect(unkeyed.reason.contains("has no keys"))
        struct Failing: Encodable, Sendable {
            struct Cause: Error {}
            func encode(to encoder: any Encoder) throws { throw Cause() }
        }
        let failing = try #require(throws: URLBuilderError.self) {
            try ParameterEncoder().encode(URLQuery.encoding(Failing()))
        }
        #expect(failing.underlyingError is Failing.Cause)
    }

    @Test("A query takes what hand-written encoders write: nested containers, super encoders, data, UUIDs, URLs")
    func handWritten() throws {
        struct Odd: Encodable {
            enum Key: String, CodingKey { case list, map, data, id, link, none, flag }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encode(Int8(1))
                try list.encodeNil()
                var inner = list.nestedUnkeyedContainer()
                try inner.encode("x")
                #expect(list.count == 3)
                var map = container.nestedContainer(keyedBy: Key.self, forKey: .map)
                try map.encode(2.5 as Float, forKey: .id)
                try container.encode(Data([1, 2, 3]), forKey: .data)
                try container.encode(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), forKey: .id)
                try container.encode(URL(string: "http://h/?a"), forKey: .link)
                try container.encodeNil(forKey: .none)
                try true.encode(to: container.superEncoder(forKey: .flag))
                try ["s": 1].encode(to: container.superEncoder())
            }
        }
        let encoder = ParameterEncoder(arrays: .indexed, keepsBrackets: true)
        #expect(
            try encoder.encode(Odd())
                == "list[0]=1&list[2][0]=x&map[id]=2.5&data=AQID&id=E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
                + "&link=http%3A%2F%2Fh%2F%3Fa&flag=true&super[s]=1"
        )
    }
}
