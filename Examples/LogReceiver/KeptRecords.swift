import Foundation
import HTTPChain
import Logging

/// A file of records, with one line of JSON for each.
struct KeptRecords {
    /// The file's size in bytes.
    private(set) var size = 0
    private let path: String
    private var handle: FileHandle

    /// Opens the file.
    ///
    /// If there is none, it is created, readable only by its owner.
    init(path: String) throws {
        let manager = FileManager.default
        if !manager.fileExists(atPath: path) {
            guard manager.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
                throw KeptRecordsError(description: "The file \(path) cannot be made.")
            }
        }
        guard let handle = FileHandle(forUpdatingAtPath: path) else {
            throw KeptRecordsError(description: "The file \(path) cannot be opened for reading and writing.")
        }
        self.path = path
        self.handle = handle
        size = Int(clamping: (try? handle.seekToEnd()) ?? 0)
    }

    /// Returns the file's last records.
    ///
    /// Lines that aren't records, such as an incomplete one after a crash, are omitted.
    func records(upTo count: Int) -> [ReceivedRecord] {
        guard (try? handle.seek(toOffset: 0)) != nil, let content = try? handle.readToEnd() else { return [] }
        return content.split(separator: UInt8(ascii: "\n")).suffix(count).compactMap { line in
            (try? JSONValue(json: Data(line))).flatMap { ReceivedRecord(kept: $0) }
        }
    }

    /// Appends records in the format of ``ReceivedRecord/json(number:)``.
    mutating func append(_ records: [[UInt8]]) {
        let content = Data(records.joined(separator: [UInt8(ascii: "\n")])) + Data("\n".utf8)
        guard (try? handle.seekToEnd()) != nil, (try? handle.write(contentsOf: content)) != nil else { return }
        size += content.count
    }

    /// Replaces the file's records.
    mutating func replace(with records: [[UInt8]]) {
        guard (try? handle.truncate(atOffset: 0)) != nil else { return }
        size = 0
        if !records.isEmpty { append(records) }
    }
}

/// The error if the file can't be created or opened.
struct KeptRecordsError: Error, CustomStringConvertible {
    var description: String
}

extension ReceivedRecord {
    /// Creates a record from a line of the file.
    fileprivate init?(kept json: JSONValue) {
        guard let format = json["format"]?.string, format.allSatisfy(\.isLetter), let time = json["time"]?.number,
            let level = json["level"]?.string.flatMap({ Logger.Level(rawValue: $0) })
        else { return nil }
        self.init(
            format: format,
            time: time,
            level: level,
            component: json["component"]?.string ?? "",
            service: json["service"]?.string ?? "",
            message: json["message"]?.string ?? "",
            attributes: (json["attributes"]?.array ?? []).compactMap { pair in
                pair[0]?.string.map { ($0, pair[1] ?? .null) }
            }
        )
    }
}
