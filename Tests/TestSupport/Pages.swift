import Foundation

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
    ///   - file: The file of the test, in a folder of `Tests`.
    package init(of page: String, in file: String = #filePath) throws {
        let here = URL(filePath: file)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        func lines(_ text: some StringProtocol) -> String {
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
        }
        let code = lines(try String(contentsOf: here, encoding: .utf8))
        let blocks = try String(contentsOf: root.appending(path: page), encoding: .utf8).split(separator: "```swift\n")
            .dropFirst().compactMap { $0.split(separator: "```").first }
        count = blocks.count
        missing = blocks.map(lines).filter { !code.contains($0) }
    }
}
