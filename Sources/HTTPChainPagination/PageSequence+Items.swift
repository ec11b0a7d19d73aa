extension PageSequence {
    /// Returns the items of all pages in sequence.
    ///
    /// - Parameter items: A closure that returns the items of a page's value, such as `\.value` for an envelope.
    public func items<Items: Sequence & SendableMetatype>(
        _ items: @escaping @Sendable (_ value: Value) -> Items
    ) -> AsyncThrowingFlatMapSequence<PageSequence, PageItems<Items>> {
        flatMap { PageItems(items: items($0.value)) }
    }
}

extension PageSequence where Value: Sequence & SendableMetatype {
    /// Returns the items of all pages in sequence.
    public func items() -> AsyncThrowingFlatMapSequence<PageSequence, PageItems<Value>> {
        flatMap { PageItems(items: $0.value) }
    }
}

/// The items of one page as an asynchronous sequence.
public struct PageItems<Items: Sequence & SendableMetatype>: AsyncSequence {
    let items: Items

    /// Starts at the first item.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(inner: items.makeIterator()) }

    /// An iterator over the items of one page.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var inner: Items.Iterator

        /// Returns the next item; nil after the last.
        public mutating func next() async throws -> Items.Element? { inner.next() }
    }
}
