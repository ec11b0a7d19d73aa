import HTTPChainRemoteLogging
import Logging

/// The records of a batch, grouped in a single pass.
struct LogGroups {
    /// Records of the same component and, if grouped by level, of the same level.
    struct Group {
        let component: String
        let level: Logger.Level
        /// The range of the group's records in ``LogGroups/order``.
        fileprivate(set) var range: Range<Int>
    }

    /// The groups, in the order of their first records.
    private(set) var groups: [Group] = []
    /// The positions of the records, one group after another.
    ///
    /// Within a group, the records keep their order.
    private(set) var order: [Int] = []

    init(_ records: [LogRecord], byLevel: Bool) {
        let numbers = Self.numbers(of: records, byLevel: byLevel, groups: &groups)
        var next: [Int] = []
        next.reserveCapacity(groups.count)
        var start = 0
        for index in groups.indices {
            let end = start + groups[index].range.count
            groups[index].range = start..<end
            next.append(start)
            start = end
        }
        order = [Int](repeating: 0, count: records.count)
        for (position, number) in numbers.enumerated() {
            order[next[number]] = position
            next[number] += 1
        }
    }

    /// Returns the number of each record's group, creating the groups and counting their records.
    private static func numbers(of records: [LogRecord], byLevel: Bool, groups: inout [Group]) -> [Int] {
        let levels = byLevel ? Logger.Level.allCases.count : 1
        var components: [String: Int] = [:]
        // The index of the group for each component and level, or -1.
        var table: [Int] = []
        var last: (component: String, number: Int)?
        return records.map { record in
            let component: Int
            if let last, last.component == record.component {
                component = last.number
            } else if let known = components[record.component] {
                component = known
            } else {
                component = components.count
                components[record.component] = component
                table += repeatElement(-1, count: levels)
            }
            last = (record.component, component)
            let cell = component * levels + (byLevel ? record.level.rank : 0)
            if table[cell] < 0 {
                table[cell] = groups.count
                groups.append(Group(component: record.component, level: record.level, range: 0..<0))
            }
            let number = table[cell]
            groups[number].range = 0..<(groups[number].range.count + 1)
            return number
        }
    }
}
