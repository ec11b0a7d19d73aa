import Foundation
package import HTTPChainSupport
package import HTTPChainTesting

/// A disk in memory that knows what a loss of power leaves of it.
///
/// Only what was waited for is certain: the content of a file after ``File/synchronize()``, the names in a directory
/// after ``FileSystem/synchronizeDirectory(_:)``. Of everything since, a loss of power leaves nothing, all, the
/// beginning, or any of it in any order; of a write any of its sectors, with zeros or something else between them. A
/// renaming happens or does not, and a file whose name is certain is not for that reason certain itself.
///
/// ```swift
/// let disk = MemoryDisk(directories: ["/place"])
/// // ... use it ...
/// let problem = try await disk.history.firstProblem(images: 8, Seed.numbers()) { left, position in
///     // `left` is what is there when the power fails after so many operations
/// }
/// #expect(problem == nil)
/// ```
///
/// Each directory is a volume of its own: nothing can be renamed from one to another.
package final class MemoryDisk: FileSystem {
    fileprivate struct Contents {
        var state: DiskState
        var operations: [DiskOperation] = []
        /// Which open file has the lock of a file.
        var locks: [Int: Int] = [:]
        var openings = 0

        mutating func perform(_ operation: DiskOperation) {
            state.apply(operation)
            operations.append(operation)
        }
    }

    private let base: DiskState
    fileprivate let contents: Locked<Contents>

    /// Makes a disk.
    ///
    /// - Parameter directories: What was there before, for certain.
    package convenience init(directories: [String] = []) {
        let disk = MemoryDisk(DiskState())
        for path in directories { try? disk.makeDirectory(path) }
        var state = disk.contents.withLock { $0.state }
        state.settle()
        self.init(state)
    }

    fileprivate init(_ state: DiskState) {
        base = state
        contents = Locked(Contents(state: state))
    }

    /// How many operations there were.
    package var count: Int { contents.withLock { $0.operations.count } }

    /// All that was done.
    package var history: DiskHistory { DiskHistory(base: base, operations: contents.withLock { $0.operations }) }

    /// The names in a directory, sorted; none when it is not there.
    package func names(in path: String) -> [String] {
        contents.withLock { contents in
            guard let node = contents.state.node(at: path) else { return [] }
            return contents.state.directories[node]?.names.keys.sorted() ?? []
        }
    }

    package func makeDirectory(_ path: String) throws(FileFault) {
        try perform("create", path) { contents throws(DiskRefusal) in
            var parent = DiskState.root
            for name in path.split(separator: "/").map(String.init) {
                guard let names = contents.state.directories[parent]?.names else { throw DiskRefusal(ENOTDIR) }
                if let node = names[name] {
                    parent = node
                } else {
                    let node = contents.operations.count + contents.state.nodeCount
                    contents.perform(.makeDirectory(node, in: parent, name: name))
                    parent = node
                }
            }
            guard contents.state.directories[parent] != nil else { throw DiskRefusal(ENOTDIR) }
        }
    }

    package func list(_ path: String, _ visit: (UnsafeBufferPointer<UInt8>) -> Void) throws(FileFault) {
        let names = try perform("list", path) { contents throws(DiskRefusal) -> [String] in
            guard let node = contents.state.node(at: path) else { throw DiskRefusal(ENOENT) }
            guard let directory = contents.state.directories[node] else { throw DiskRefusal(ENOTDIR) }
            return [".", ".."] + directory.names.keys.sorted()
        }
        for name in names { Array(name.utf8).withUnsafeBufferPointer(visit) }
    }

    package func status(of path: String) throws(FileFault) -> FileStatus? {
        contents.withLock { contents in contents.state.node(at: path).map { contents.state.status(of: $0) } }
    }

    package func open(_ path: String, _ opening: FileOpening) throws(FileFault) -> (any File)? {
        let opened = try perform("open", path) { contents throws(DiskRefusal) -> (node: Int, number: Int)? in
            let place = try contents.state.place(of: path)
            contents.openings += 1
            if let node = place.node {
                guard opening.creation != .exclusive else { throw DiskRefusal(EEXIST) }
                if contents.state.directories[node] != nil, opening.isWritable { throw DiskRefusal(EISDIR) }
                return (node, contents.openings)
            }
            guard opening.creation != .never else { return nil }
            guard let parent = place.parent else { throw DiskRefusal(ENOENT) }
            let node = contents.operations.count + contents.state.nodeCount
            contents.perform(.create(node, in: parent, name: place.name, permissions: opening.permissions))
            return (node, contents.openings)
        }
        return opened.map { MemoryFile(self, path, $0.node, number: $0.number, isWritable: opening.isWritable) }
    }

    package func rename(_ path: String, to destination: String) throws(FileFault) -> Bool {
        try perform("rename", path) { contents throws(DiskRefusal) in
            let (old, new) = (try contents.state.place(of: path), try contents.state.place(of: destination))
            guard old.node != nil, let parent = old.parent else { throw DiskRefusal(ENOENT) }
            guard new.parent == parent else { return false }
            contents.perform(.rename(in: parent, from: old.name, to: new.name))
            return true
        }
    }

    package func remove(_ path: String) throws(FileFault) -> Bool {
        try perform("remove", path) { contents throws(DiskRefusal) in
            let place = try contents.state.place(of: path)
            guard let node = place.node, let parent = place.parent else { return false }
            guard contents.state.files[node] != nil else { throw DiskRefusal(EISDIR) }
            contents.perform(.remove(in: parent, name: place.name))
            return true
        }
    }

    package func synchronizeDirectory(_ path: String) throws(FileFault) {
        try perform("synchronize", path) { contents throws(DiskRefusal) in
            guard let node = contents.state.node(at: path) else { throw DiskRefusal(ENOENT) }
            contents.perform(.synchronize(node))
        }
    }

    fileprivate func perform<Result: Sendable>(
        _ what: String,
        _ path: String,
        _ work: (inout Contents) throws(DiskRefusal) -> Result
    ) throws(FileFault) -> Result {
        let outcome = contents.withLock { contents in
            Swift.Result { () throws(DiskRefusal) in try work(&contents) }
        }
        do throws(DiskRefusal) {
            return try outcome.get()
        } catch {
            let message = String(cString: strerror(error.code))
            throw FileFault(operation: what, path: path, code: error.code, message: message)
        }
    }
}

private struct DiskRefusal: Error {
    let code: Int32

    init(_ code: Int32) {
        self.code = code
    }
}

extension DiskState {
    /// More than there are nodes, and the same for the same past.
    fileprivate var nodeCount: Int { max(files.keys.max() ?? 0, directories.keys.max() ?? 0) + 1 }

    fileprivate func node(at path: String) -> Int? {
        var node = Self.root
        for name in path.split(separator: "/") {
            guard let next = directories[node]?.names[String(name)] else { return nil }
            node = next
        }
        return node
    }

    /// What a path names: the directory that the last name is in, if there is one, and what it leads to.
    fileprivate func place(of path: String) throws(DiskRefusal) -> (parent: Int?, name: String, node: Int?) {
        let names = path.split(separator: "/").map(String.init)
        guard let name = names.last else { return (nil, "", Self.root) }
        guard let parent = node(at: names.dropLast().joined(separator: "/")) else { return (nil, name, nil) }
        guard let directory = directories[parent] else { throw DiskRefusal(ENOTDIR) }
        return (parent, name, directory.names[name])
    }

    fileprivate func status(of node: Int) -> FileStatus {
        let owner = UInt32(geteuid())
        guard let file = files[node] else {
            return FileStatus(kind: .directory, size: 0, permissions: 0o700, owner: owner)
        }
        return FileStatus(
            size: Int64(file.bytes.count),
            links: links(to: node),
            permissions: file.permissions,
            owner: owner
        )
    }
}

private final class MemoryFile: File {
    private let disk: MemoryDisk
    private let path: String
    private let node: Int
    private let number: Int
    private let isWritable: Bool

    init(_ disk: MemoryDisk, _ path: String, _ node: Int, number: Int, isWritable: Bool) {
        self.disk = disk
        self.path = path
        self.node = node
        self.number = number
        self.isWritable = isWritable
    }

    deinit { unlock() }

    func status() throws(FileFault) -> FileStatus {
        disk.contents.withLock { $0.state.status(of: node) }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int {
        let bytes = disk.contents.withLock { contents -> ArraySlice<UInt8> in
            let bytes = contents.state.files[node]?.bytes ?? []
            let start = min(Int(offset), bytes.count)
            return bytes[start..<min(start + buffer.count, bytes.count)]
        }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileFault) {
        try change("write", .write(node, [UInt8](bytes), at: Int(offset)))
    }

    func truncate(to size: Int64) throws(FileFault) {
        try change("cut off", .truncate(node, to: Int(size)))
    }

    func setPermissions(_ permissions: UInt16) throws(FileFault) {
        disk.contents.withLock { $0.perform(.setPermissions(node, permissions)) }
    }

    func lock() throws(FileFault) -> Bool {
        disk.contents.withLock { contents in
            guard contents.locks[node] ?? number == number else { return false }
            contents.locks[node] = number
            return true
        }
    }

    func unlock() {
        disk.contents.withLock { contents in
            if contents.locks[node] == number { contents.locks[node] = nil }
        }
    }

    func synchronize() throws(FileFault) {
        disk.contents.withLock { $0.perform(.synchronize(node)) }
    }

    private func change(_ what: String, _ operation: DiskOperation) throws(FileFault) {
        try disk.perform(what, path) { contents throws(DiskRefusal) in
            guard isWritable else { throw DiskRefusal(EBADF) }
            contents.perform(operation)
        }
    }
}

// MARK: - Histories

/// All that was done to a disk, from what was there before on.
package struct DiskHistory: Sendable {
    fileprivate let base: DiskState
    fileprivate var operations: [DiskOperation]

    /// How many operations there were.
    package var count: Int { operations.count }

    /// The waits for the disk.
    package var waits: [DiskWait] {
        var names: [Int: [String]] = [DiskState.root: ["/"]]
        var state = base
        for (parent, directory) in base.directories {
            for (name, node) in directory.names where parent != node { names[node] = [name] }
        }
        var waits: [(position: Int, node: Int, name: String)] = []
        for (position, operation) in operations.enumerated() {
            switch operation {
            case .makeDirectory(let node, _, let name), .create(let node, _, let name, _): names[node] = [name]
            case .rename(let parent, let old, let new):
                if let node = state.directories[parent]?.names[old] { names[node, default: []].append(new) }
            case .synchronize(let node): waits.append((position, node, names[node]?.last ?? ""))
            default: break
            }
            state.apply(operation)
        }
        return waits.map { wait in
            DiskWait(
                position: wait.position,
                name: wait.name,
                lastName: names[wait.node]?.last ?? "",
                isForDirectory: state.directories[wait.node] != nil
            )
        }
    }

    /// The same with waits left out, as if the code did not wait there.
    package func without(_ isLeftOut: (DiskWait) -> Bool) -> DiskHistory {
        var history = self
        for wait in waits where isLeftOut(wait) { history.operations[wait.position] = .nothing }
        return history
    }

    /// Fails the power after each operation, several times, and asks what is wrong with what is left.
    ///
    /// - Parameters:
    ///   - images: How many disks are looked at for each operation.
    ///   - numbers: Tell what is left.
    ///   - positions: After how many operations; all by default, and before the first.
    ///   - problem: Is given what is left, and how many operations there were; returns what is wrong, if anything is.
    /// - Returns: The first problem, with where it was found.
    package func firstProblem(
        images: Int,
        _ numbers: SeededRandom,
        positions: Range<Int>? = nil,
        _ problem: (MemoryDisk, Int) async throws -> String?
    ) async throws -> String? {
        var state = base
        for position in 0...count {
            if position > 0 { state.apply(operations[position - 1]) }
            guard positions?.contains(position) ?? true else { continue }
            for image in 0..<images {
                // Other tests want their turn.
                await Task.yield()
                let left = MemoryDisk(state.afterPowerLoss(numbers))
                guard let problem = try await problem(left, position) else { continue }
                return "\(problem), after \(position) of \(count) operations, disk \(image)"
            }
        }
        return nil
    }

    /// What is left when the power fails at one of the operations.
    package func afterPowerLoss(_ numbers: SeededRandom) -> MemoryDisk {
        var state = base
        for operation in operations.prefix(numbers.index(below: count + 1)) { state.apply(operation) }
        return MemoryDisk(state.afterPowerLoss(numbers))
    }
}

/// One wait for the disk.
package struct DiskWait: Sendable, Hashable {
    /// How many operations there were before.
    package let position: Int
    /// The last component of the path at that time.
    package let name: String
    /// The last component of the path that the file or directory had in the end.
    package let lastName: String
    package let isForDirectory: Bool
}

/// Something that was done with a disk, from its first operation to its last.
package struct DiskStep<Fact: Sendable>: Sendable {
    package let fact: Fact
    /// What it was among the operations of the disk.
    package let operations: Range<Int>

    package init(_ fact: Fact, _ operations: Range<Int>) {
        self.fact = fact
        self.operations = operations
    }

    /// Whether it had been reported after so many operations.
    package func isReported(after count: Int) -> Bool { operations.upperBound <= count }

    /// Whether a part of it may have been done after so many operations.
    package func hasBegun(after count: Int) -> Bool { operations.lowerBound < count }
}
