extension Array where Element: Comparable {
    /// Returns the index of the first element above a value, in a sorted array whose last element is above it.
    package func sortedIndex(above value: Element) -> Int {
        var (low, high) = (0, count - 1)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] > value { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
