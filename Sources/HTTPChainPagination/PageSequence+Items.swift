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

/// The items of one page as an asynchronous sequence, which is its own iterator.
public struct PageItems<Items: Sequence & SendableMetatype>: AsyncSequence, AsyncIteratorProtocol {
    private var inner: Items.Iterator

    init(items: Items) { inner = items.makeIterator() }

    /// Starts at the first item.
    public func makeAsyncIterator() -> PageItems { self }

    /// Returns the next item; nil after the last.
    public mutating func next() async throws -> Items.Element? { inner.next() }
}
