#if AllTests
import HTTPChainCache
import Testing

@Suite("Directives, RFC 9111 §5.2")
struct DirectiveScannerTests {
    @Test(
        "Directives are taken apart at commas outside quotes, and garbage between these is passed over",
        arguments: [
            ("", []), (" ,\t, ", []), ("a", [("a", .none)]), ("A=b", [("a", .value("b"))]),
            ("a,b", [("a", .none), ("b", .none)]),
            ("a ,\tb=c , ", [("a", .none), ("b", .value("c"))]), ("a=", [("a", .malformed)]),
            ("a=,b", [("a", .malformed), ("b", .none)]),
            ("a =b,c", [("a", .malformed), ("c", .none)]), ("a= b,c", [("a", .malformed), ("c", .none)]),
            ("a=b c,d", [("a", .malformed), ("d", .none)]), ("a b", [("a", .malformed)]),
            ("a=\"b, c\",d", [("a", .value("b, c")), ("d", .none)]), ("a=\"\"", [("a", .value(""))]),
            ("a=\"b\\\"\\c\"", [("a", .value("b\"c"))]), ("a=\"b\" ,c", [("a", .value("b")), ("c", .none)]),
            ("a=\"b\"c,d", [("a", .malformed), ("d", .none)]), ("a=\"b", [("a", .malformed)]),
            ("a=\"b\\", [("a", .malformed)]),
            ("a=\"", [("a", .malformed)]), ("é,b", [("b", .none)]), ("(\"x,y\\\",z\"),b", [("b", .none)]),
            ("(\"x", []), ("(\"x\\", []), ("a=b;\"c,d\",e", [("a", .malformed), ("e", .none)]),
            ("=b,c", [("c", .none)]),
            ("a=b;\\,c", [("a", .malformed), ("c", .none)]), ("(,b", [("b", .none)]), ("(\"xy\",b", [("b", .none)]),
            ("(\"x\\\"\",b", [("b", .none)]), ("(x,b", [("b", .none)]),
        ] as [(String, [(String, ScannedDirective.Argument)])]
    )
    func directives(line: String, expected: [(String, ScannedDirective.Argument)]) {
        let directives = DirectiveScanner.directives(in: line)
        #expect(directives.map(\.name) == expected.map(\.0))
        #expect(directives.map(\.argument) == expected.map(\.1))
    }

    @Test(
        "Seconds are digits and nothing else, 2³¹ at most (§1.2.2)",
        arguments: [
            ("0", 0), ("007", 7), ("2147483647", 2_147_483_647), ("2147483648", 2_147_483_648),
            ("2147483649", 2_147_483_648), ("99999999999999999999999", 2_147_483_648), ("", nil), ("-1", nil),
            ("1.5", nil),
            ("1:", nil), ("/1", nil), (" 1", nil), ("٣", nil),
        ] as [(String, Int64?)]
    )
    func seconds(text: String, expected: Int64?) {
        #expect(DeltaSeconds(text) == expected.map(DeltaSeconds.seconds) ?? .invalid)
    }
}
#endif
