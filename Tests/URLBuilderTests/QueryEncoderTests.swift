import Foundation
import HTTPChainURLBuilder
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

@Suite("A query encoder")
struct QueryEncoderTests {
    @Test("writes pairs in order, with everything but unreserved characters percent-encoded")
    func pairs() throws {
        let none: Int? = nil
        let some: Int? = 7
        let query: URLQuery = [
            "q": "a b&c=d+é/?#[]", "n": 1, "f": 0.5, "t": true, "n": 2, "none": none, "some": some, "nil": nil,
            "sort": Sort.oldest,
            "é ": UInt64.max, "d": Decimal(string: "1.10"),
        ]
        #expect(
            try QueryEncoder().encode(query)
                == "q=a%20b%26c%3Dd%2B%C3%A9%2F%3F%23%5B%5D&n=1&f=0.5&t=true&n=2&some=7&sort=oldest"
                + "&%C3%A9%20=18446744073709551615&d=1.1"
        )
        #expect(try QueryEncoder().encode([:] as URLQuery) == "")
    }

    @Test(
        "writes lists in the style of the server",
        arguments: [
            (QueryEncoder.ArrayStyle.repeated, "a=1&a=2%2C3&b=x&e="),
            (.brackets, "a%5B%5D=1&a%5B%5D=2%2C3&b=x&e%5B%5D="),
            (.indexed, "a%5B0%5D=1&a%5B1%5D=2%2C3&b=x&e%5B0%5D="), (.commas, "a=1,2%2C3&b=x&e="),
        ]
    )
    func arrays(style: QueryEncoder.ArrayStyle, expected: String) throws {
        let query: URLQuery = ["a": ["1", "2,3"], "none": [String](), "b": "x", "nulls": [nil] as URLValue, "e": [""]]
        #expect(try QueryEncoder(arrays: style).encode(query) == expected)
    }

    @Test("writes brackets as they are for servers that insist")
    func bareBrackets() throws {
        let query: URLQuery = ["a": [1, 2], "b": ["c d": ["e": 3]] as URLValue]
        #expect(try QueryEncoder(arrays: .brackets, keepsBrackets: true).encode(query) == "a[]=1&a[]=2&b[c%20d][e]=3")
        #expect(try QueryEncoder(nesting: .dots).encode(query) == "a=1&a=2&b.c%20d.e=3")
    }

    @Test("writes Encodable values: nested keys, nil, dates, enums")
    func encodable() throws {
        var filter = Filter(searchText: "x y", since: Date(timeIntervalSince1970: 0))
        #expect(
            try QueryEncoder().encode(filter)
                == "searchText=x%20y&onlyNew=true&tagIDs=1&tagIDs=2&priceRange%5BminPrice%5D=1&priceRange%5BmaxPrice%5D=2.5"
                + "&sort=newest&since=1970-01-01T00%3A00%3A00Z"
        )
        filter.priceRange.minPrice = nil
        filter.since = nil
        let encoder = QueryEncoder(arrays: .commas, nesting: .dots, nils: .empty, booleans: .digits)
        #expect(
            try encoder.encode(filter)
                == "searchText=x%20y&onlyNew=1&tagIDs=1,2&priceRange.minPrice=&priceRange.maxPrice=2.5&sort=newest&since=&cursor="
        )
    }

    @Test(
        "writes keys in the style of the server, nested ones and those of pairs too",
        arguments: [
            ("snake", "search_text= &price_range.max_price=1&my_url_path2_a=1&_x=1&user_id=1"),
            ("kebab", "search-text= &price-range.max-price=1&my-url-path2-a=1&_x=1&user-id=1"),
            ("upper", "SEARCHTEXT= &PRICERANGE.MAXPRICE=1&MYURLPATH2A=1&_X=1&USERID=1"),
            ("as is", "searchText= &priceRange.maxPrice=1&myURLPath2A=1&_x=1&userID=1"),
        ]
    )
    func keys(style: String, expected: String) throws {
        let styles: [String: QueryEncoder.KeyStyle] = [
            "snake": .snakeCase, "kebab": .kebabCase, "upper": .custom { $0.uppercased() }, "as is": .asIs,
        ]
        let query: URLQuery = [
            "searchText": " ", "priceRange": ["maxPrice": 1] as URLValue, "myURLPath2A": 1, "_x": 1, "userID": 1,
        ]
        let encoder = QueryEncoder(keys: try #require(styles[style]), nesting: .dots)
        #expect(try encoder.encode(query) == expected.replacing("= ", with: "=%20"))
    }

    @Test("keeps keyed values of a list apart, in the commas style too")
    func listsOfValues() throws {
        #expect(
            try QueryEncoder(arrays: .indexed, keepsBrackets: true).encode(Items())
                == "items[0][id]=1&items[0][note]=a&items[1][id]=2"
        )
        #expect(
            try QueryEncoder(arrays: .commas, keepsBrackets: true).encode(Items())
                == "items[0][id]=1&items[0][note]=a&items[1][id]=2"
        )
        #expect(
            try QueryEncoder(arrays: .brackets, keepsBrackets: true).encode(Items())
                == "items[][id]=1&items[][note]=a&items[][id]=2"
        )
    }

    @Test("writes dictionaries sorted by key, so that a URL comes out the same each time")
    func dictionaries() throws {
        let dictionary = Dictionary(uniqueKeysWithValues: (0..<50).map { ("k\($0)", $0) })
        let expected = dictionary.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        #expect(try QueryEncoder().encode(dictionary) == expected)
        #expect(try QueryEncoder().encode(URLQuery(URLParameters(dictionary))) == expected)
        #expect(try QueryEncoder(nesting: .dots).encode(["a": ["z": 1, "b": 2]]) == "a.b=2&a.z=1")
    }

    @Test("joins pairs, values and ready-made text; ready-made text stays as it is")
    func mixed() throws {
        let query = URLQuery.encoding(["a": 1]) + ["b": 2] + .raw("c=%20+&d=[x]#é") + .raw("")
        #expect(try QueryEncoder().encode(query) == "a=1&b=2&c=%20+&d=[x]%23%C3%A9")
        #expect(query.isEmpty == false)
    }

    @Test("says which parameter cannot be written")
    func errors() throws {
        struct Bad: Encodable {
            var outer = ["x": Double.infinity]
        }
        let error = try #require(throws: URLBuilderError.self) { try QueryEncoder().encode(Bad()) }
        #expect(error.reason.contains("outer[x]"))
        let unkeyed = try #require(throws: URLBuilderError.self) { try QueryEncoder().encode([1, 2]) }
        #expect(unkeyed.reason.contains("has no keys"))
        struct Failing: Encodable {
            struct Cause: Error {}
            func encode(to encoder: any Encoder) throws { throw Cause() }
        }
        let failing = try #require(throws: URLBuilderError.self) { try QueryEncoder().encode(Failing()) }
        #expect(failing.underlyingError is Failing.Cause)
    }

    @Test("takes what hand-written encoders write: nested containers, super encoders, data, UUIDs, URLs")
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
        let encoder = QueryEncoder(arrays: .indexed, keepsBrackets: true)
        #expect(
            try encoder.encode(Odd())
                == "list[0]=1&list[2][0]=x&map[id]=2.5&data=AQID&id=E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
                + "&link=http%3A%2F%2Fh%2F%3Fa&flag=true&super[s]=1"
        )
    }
}
