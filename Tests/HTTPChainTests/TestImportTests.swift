import Foundation
import TestSupport
import Testing

@Suite("The imports of the tests")
struct TestImportTests {
    // It may only fall: a rule that is tested alone is `package`, which tests see without such an import. The fuzzers are
    // a package of their own, and need one.
    private static let limit = 89

    @Test("Few files see the internal declarations of a module")
    func testableImports() throws {
        let tests = Repository.tests
        let paths = try #require(FileManager.default.enumerator(atPath: tests.path))
        var files: [String] = []
        var count = 0
        while let path = paths.nextObject() as? String {
            // Builds of the fuzzer contain the code of its dependencies.
            if path.split(separator: "/").last?.hasPrefix(".") == true { paths.skipDescendants() }
            guard path.hasSuffix(".swift") else { continue }
            count += 1
            let text = try String(contentsOf: tests.appendingPathComponent(path), encoding: .utf8)
            if text.split(separator: "\n").contains(where: { $0.hasPrefix("@testable import ") }) { files.append(path) }
        }
        #expect(count > 500)
        #expect(files.count <= Self.limit, "\(files.sorted().joined(separator: "\n"))")
    }
}
