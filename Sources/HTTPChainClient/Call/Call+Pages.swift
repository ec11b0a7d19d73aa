public import HTTPChainPagination

extension Call {
    /// Returns the pages of a list.
    ///
    /// Each page is a call like this one. For a ``StoredRequest``, only the first page is stored.
    ///
    /// ```swift
    /// for try await page in client.call(ListPlants.self).key("list").pages(by: .linkHeader()) { show(page.value) }
    /// ```
    ///
    /// - Parameters:
    ///   - style: The way in which the service links to the next page.
    ///   - position: The page to start at; the first by default.
    public func pages(
        by style: PaginationStyle<Kind.Output>,
        startingAt position: PagePosition = .first
    ) -> PageSequence<Kind.Output> {
        PageSequence(by: style, startingAt: position) { position, change in
            // The request is equal for all pages, so a later page would replace the first.
            try await with(change).changing { $0.storesReply = position == .first }.response
        }
    }
}
