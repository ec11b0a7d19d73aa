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
