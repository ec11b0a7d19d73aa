public import Foundation
public import HTTPChainCore

/// An HTTP archive (HAR 1.2): exchanges with their heads, contents and timings.
///
/// ```swift
/// let archive = try await HARArchive.read(from: file)
/// for entry in archive.entries where entry.response.status >= 400 { print(entry.request.url) }
/// ```
///
/// Archives of Chrome, Firefox, Playwright and mitmproxy can be read. Missing values are replaced by those that the
/// specification defines for "not known", and numbers may be strings. Fields outside the specification (`_initiator`,
/// `_transferSize`) are kept, and readable in ``HAREntry/json``. Written archives have every member that HAR 1.2
/// requires.
public struct HARArchive: Sendable, Hashable {
    /// The version of the format; "1.2".
    package var version = "1.2"
    /// The program that wrote the archive.
    package var program: HARCreator
    /// The browser that made the exchanges.
    package var browser: HARCreator?
    /// The pages that exchanges belong to.
    package var pages: [HARPage] = []
    /// The name and version of the program that wrote the archive.
    public var creator: (name: String, version: String) { (program.name, program.version) }
    /// The exchanges, in the order in which they were written, which may differ from the order in which they began.
    public var entries: [HAREntry]
    /// A comment by a user or a program.
    package var comment: String?
    /// Fields of `log` that aren't part of the specification.
    package var customFields: [String: JSONValue] = [:]

    /// Makes an archive.
    ///
    /// - Parameters:
    ///   - entries: The exchanges.
    ///   - creator: The program that writes the archive; this package by default.
    package init(entries: [HAREntry] = [], creator: HARCreator = .httpChain) {
        self.entries = entries
        program = creator
    }

    /// Reads an archive.
    ///
    /// - Parameters:
    ///   - data: The file's content in UTF-8.
    ///   - limits: The size limits.
    ///   - salvaging: Whether to read the complete entries of a truncated file, for example of one left by a killed
    ///     program. If `false`, the default, such a file is an error.
    /// - Throws: ``HARError`` with the problem and its place.
    public init(_ data: Data, limits: HARLimits = HARLimits(), salvaging: Bool = false) throws(HARError) {
        self = try HARFileContent(data, limits: limits, salvaging: salvaging).archive
    }

    /// The archive as JSON, one entry per line.
    public var data: Data {
        var bytes = Array("{\"log\":{".utf8)
        var head = HARMembers()
        var log = self
        // Only reading throws.
        try? log.describe(&head)
        head.add(customFields)
        var first: [UInt8] = []
        head.tree.write(to: &first)
        bytes += first.dropFirst().dropLast()
        bytes += Array(",\"entries\":[".utf8)
        for (index, entry) in entries.enumerated() {
            bytes += Array((index == 0 ? "\n" : ",\n").utf8)
            entry.tree.write(to: &bytes)
        }
        bytes += HARFileContent.tail
        return Data(bytes)
    }

    init(_ log: HARMembers, limits: HARLimits) throws(HARError) {
        self.init(creator: HARCreator())
        var log = log
        try describe(&log)
        guard try log.objects("entries", &entries, limit: limits.entries) else { throw log.missing("entries") }
        customFields = log.rest
    }

    /// Reads or writes the members of `log` without the entries.
    private mutating func describe(_ members: inout HARMembers) throws(HARError) {
        members.text("version", &version)
        try members.object("creator", &program)
        try members.object("browser", &browser)
        try members.objects("pages", &pages, omitsEmpty: true)
        members.text("comment", &comment)
    }
}

/// The size limits for reading an archive.
public struct HARLimits: Sendable, Hashable {
    /// The maximum size of a file; 256 MiB by default.
    package var size: ByteCount
    /// The maximum number of entries; 100,000 by default.
    package var entries: Int
    /// The maximum nesting depth of arrays and objects; 128 by default.
    package var depth: Int

    /// Makes limits.
    public init(size: ByteCount = .mebibytes(256), entries: Int = 100_000, depth: Int = 128) {
        self.size = size
        self.entries = entries
        self.depth = depth
    }
}

/// The content of a file, and the position of the next entry.
struct HARFileContent {
    /// The text at the end of a file written by this package.
    static let tail = Array("\n]}}\n".utf8)

    let archive: HARArchive
    /// Whether the file was truncated.
    let isCut: Bool
    /// The end of the entries in the file, or `nil` if the file ends before they begin.
    let entries: JSONTreeParser.EntriesPlace?

    init(_ data: Data, limits: HARLimits, salvaging: Bool) throws(HARError) {
        if Int64(data.count) > limits.size.bytes { throw HARError(.tooLarge(limit: limits.size)) }
        let parsed = data.withUnsafeBytes { buffer in
            Result { () throws(HARError) -> JSONTreeParser.Result in
                let bytes = buffer.bindMemory(to: UInt8.self)
                return try JSONTreeParser.parse(bytes, depthLimit: max(1, limits.depth), salvages: salvaging)
            }
        }
        let result = try parsed.get()
        isCut = result.isCut
        entries = result.entries
        // A truncated file may be empty, or end before its entries begin.
        if isCut, entries == nil {
            archive = HARArchive()
            return
        }
        var root = try HARMembers(result.tree, path: "the file")
        if let log = root.take("log") {
            archive = try HARArchive(HARMembers(log, path: "log"), limits: limits)
        } else if isCut {
            archive = HARArchive()
        } else {
            throw HARError(.missing(path: "log"))
        }
    }
}

extension HARArchive: DescribedValue, RedactedDisplay {
    /// One line for each entry, with secrets redacted.
    package var words: String { entries.map(\.description).joined(separator: "\n") }
}
