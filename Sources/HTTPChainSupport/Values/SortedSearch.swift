extension RandomAccessCollection where Index == Int {
    /// Returns the index of the first element that meets a condition, by binary search; `endIndex` if none does.
    ///
    /// - Parameter condition: A condition that, from its first such element on, all elements meet.
    @inlinable
    package func sortedIndex(where condition: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Array where Element: Comparable {
    /// Returns the index of the first element above a value, in a sorted array whose last element is above it.
    @inlinable
    package func sortedIndex(above value: Element) -> Int { dropLast().sortedIndex { $0 > value } }
}
