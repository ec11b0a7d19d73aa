package import Foundation

/// The folders of the repository, for tests that read its files.
package enum Repository {
    /// The folder of the manifest.
    package static let root = tests.deletingLastPathComponent()
    /// The folder of the tests.
    package static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the text of a file.
    ///
    /// - Parameter path: The path of the file in the repository.
    package static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}

extension String {
    /// The lines of all blocks between two markers that stand on lines of their own, without indentation.
    package func lines(between start: String, _ end: String) -> [String] {
        var isInside = false
        var result: [String] = []
        for line in split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            switch line {
            case end where isInside: isInside = false
            case start where !isInside: isInside = true
            default: if isInside { result.append(line) }
            }
        }
        return result
    }
}

/// The blocks of Swift of a page, as a test compares them with its code: without indentation.
package struct PageExamples {
    /// The number of blocks.
    package let count: Int
    /// The blocks that the file of the test doesn't have.
    package let missing: [String]

    /// Reads a page.
    ///
    /// - Parameters:
    ///   - page: The path of the page in the repository.
    ///   - file: The file of the test.
    package init(of page: String, in file: String = #filePath) throws {
        func lines(_ text: some StringProtocol) -> String {
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
        }
        let code = lines(try String(contentsOfFile: file, encoding: .utf8))
        let blocks = try Repository.text(page).split(separator: "```swift\n")
            .dropFirst().compactMap { $0.split(separator: "```").first }
        count = blocks.count
        missing = blocks.map(lines).filter { !code.contains($0) }
    }
}
