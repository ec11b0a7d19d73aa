import HTTPChainTesting

/// A change of a disk in memory, or a wait for it.
enum DiskOperation: Sendable {
    case makeDirectory(Int, in: Int, name: String)
    case create(Int, in: Int, name: String, permissions: UInt16)
    case write(Int, [UInt8], at: Int)
    case truncate(Int, to: Int)
    case setPermissions(Int, UInt16)
    case rename(in: Int, from: String, to: String)
    case remove(in: Int, name: String)
    case synchronize(Int)
    /// A wait that was taken out of a history, so that the others keep their places.
    case nothing
}

/// The files and directories of a disk, each with what is certain to be there after a loss of power, and with the
/// changes since, of which nothing is certain.
struct DiskState: Sendable {
    static let root = 0

    private(set) var files: [Int: FileNode] = [:]
    private(set) var directories: [Int: DirectoryNode] = [root: DirectoryNode()]

    mutating func apply(_ operation: DiskOperation) {
        switch operation {
        case .makeDirectory(let node, let parent, let name):
            directories[node] = DirectoryNode()
            directories[parent]?.change(.add(name, node))
        case .create(let node, let parent, let name, let permissions):
            files[node] = FileNode(permissions: permissions)
            directories[parent]?.change(.add(name, node))
        case .write(let node, let bytes, let offset): files[node]?.change(.write(bytes, at: offset))
        case .truncate(let node, let size): files[node]?.change(.truncate(to: size))
        case .setPermissions(let node, let permissions): files[node]?.permissions = permissions
        case .rename(let parent, let old, let new): directories[parent]?.change(.rename(old, new))
        case .remove(let parent, let name): directories[parent]?.change(.remove(name))
        case .synchronize(let node):
            files[node]?.synchronize()
            directories[node]?.synchronize()
        case .nothing: break
        }
    }

    /// How many names a file has.
    func links(to node: Int) -> Int {
        directories.values.reduce(0) { $0 + ($1.names.values.contains(node) ? 1 : 0) }
    }

    /// Makes what there is certain, as on a disk that was there before.
    mutating func settle() {
        for node in files.keys { files[node]?.synchronize() }
        for node in directories.keys { directories[node]?.synchronize() }
    }

    /// What one loss of power leaves: all that is certain, and of the rest anything.
    func afterPowerLoss(_ numbers: SeededRandom) -> DiskState {
        var left = self
        // In the order of their numbers, so that a seed gives one disk.
        for node in files.keys.sorted() { left.files[node]?.lose(numbers) }
        for node in directories.keys.sorted() { left.directories[node]?.lose(numbers) }
        return left
    }
}

/// Which of the changes that nobody waited for a loss of power leaves.
private enum Fate: CaseIterable {
    case none, all
    /// Those up to one of them, and of that a part.
    case beginning
    /// Any of them, whole or in part.
    case any

    static func draw(_ numbers: SeededRandom) -> Fate { allCases[numbers.index(below: allCases.count)] }
}

extension DiskState {
    /// A file.
    struct FileNode: Sendable {
        enum Change: Sendable {
            case write([UInt8], at: Int)
            case truncate(to: Int)
        }

        /// What is written at once or not at all.
        private static let sector = 512

        private(set) var bytes: [UInt8] = []
        private var certain: [UInt8] = []
        private var pending: [Change] = []
        var permissions: UInt16

        init(permissions: UInt16) {
            self.permissions = permissions
        }

        mutating func change(_ change: Change) {
            Self.apply(change, to: &bytes)
            pending.append(change)
        }

        mutating func synchronize() {
            certain = bytes
            pending = []
        }

        mutating func lose(_ numbers: SeededRandom) {
            if !pending.isEmpty { bytes = left(Fate.draw(numbers), numbers) }
            synchronize()
        }

        private func left(_ fate: Fate, _ numbers: SeededRandom) -> [UInt8] {
            var left = certain
            switch fate {
            case .none: break
            case .all: return bytes
            case .beginning:
                let count = numbers.index(below: pending.count)
                for change in pending[..<count] { Self.apply(change, to: &left) }
                Self.tear(pending[count], to: &left, numbers)
            case .any:
                for change in pending {
                    switch numbers.index(below: 3) {
                    case 0: break
                    case 1: Self.apply(change, to: &left)
                    default: Self.tear(change, to: &left, numbers)
                    }
                }
            }
            return left
        }

        private static func apply(_ change: Change, to bytes: inout [UInt8]) {
            switch change {
            case .write(let written, let offset):
                grow(&bytes, to: offset + written.count, filler: 0)
                bytes.replaceSubrange(offset..<(offset + written.count), with: written)
            case .truncate(let size):
                if bytes.count > size { bytes.removeLast(bytes.count - size) }
                grow(&bytes, to: size, filler: 0)
            }
        }

        /// Some sectors of a write; the file may have its new length, and something else where nothing was written.
        private static func tear(_ change: Change, to bytes: inout [UInt8], _ numbers: SeededRandom) {
            guard case .write(let written, let offset) = change, !written.isEmpty else { return }
            let end = offset + written.count
            let filler: UInt8 = numbers.index(below: 2) == 0 ? 0 : UInt8(numbers.index(below: 256))
            let reached = numbers.index(below: 2) == 0 ? end : offset + numbers.index(below: written.count)
            grow(&bytes, to: reached, filler: filler)
            var start = offset
            while start < end {
                let next = min(end, (start / sector + 1) * sector, bytes.count)
                guard next > start else { break }
                if numbers.index(below: 2) == 0 {
                    bytes.replaceSubrange(start..<next, with: written[(start - offset)..<(next - offset)])
                }
                start = next
            }
        }

        private static func grow(_ bytes: inout [UInt8], to count: Int, filler: UInt8) {
            if bytes.count < count { bytes += [UInt8](repeating: filler, count: count - bytes.count) }
        }
    }

    /// A directory: names, and what they lead to.
    struct DirectoryNode: Sendable {
        enum Change: Sendable {
            case add(String, Int)
            /// In one step; the name may have led to something before.
            case rename(String, String)
            case remove(String)
        }

        private(set) var names: [String: Int] = [:]
        private var certain: [String: Int] = [:]
        /// Each with what it was about, since another one before it may be lost.
        private var pending: [(change: Change, node: Int)] = []

        mutating func change(_ change: Change) {
            guard let node = node(of: change) else { return }
            Self.apply(change, node, to: &names)
            pending.append((change, node))
        }

        private func node(of change: Change) -> Int? {
            switch change {
            case .add(_, let node): node
            case .rename(let name, _), .remove(let name): names[name]
            }
        }

        mutating func synchronize() {
            certain = names
            pending = []
        }

        mutating func lose(_ numbers: SeededRandom) {
            guard !pending.isEmpty else { return }
            var left = certain
            switch Fate.draw(numbers) {
            case .none: break
            case .all: left = names
            case .beginning:
                for (change, node) in pending[..<numbers.index(below: pending.count + 1)] {
                    Self.apply(change, node, to: &left)
                }
            case .any:
                for (change, node) in pending where numbers.index(below: 2) == 0 {
                    Self.apply(change, node, to: &left)
                }
            }
            names = left
            synchronize()
        }

        private static func apply(_ change: Change, _ node: Int, to names: inout [String: Int]) {
            switch change {
            case .add(let name, _): names[name] = node
            case .rename(let old, let new):
                if names[old] == node { names[old] = nil }
                names[new] = node
            case .remove(let name):
                if names[name] == node { names[name] = nil }
            }
        }
    }
}
