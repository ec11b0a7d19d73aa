public import HTTPChainPagination

extension Call {
    /// The pages of a list, each of them a call like this one.
    ///
    /// ```swift
    /// for try await page in client.call(ListPlants.self).key("list").pages(by: .linkHeader()) { show(page.value) }
    /// ```
    ///
    /// - Parameters:
    ///   - style: How the service says where the next page is.
    ///   - position: Where to begin; at the first page by default.
    public func pages(
        by style: PaginationStyle<Kind.Output>,
        startingAt position: PagePosition = .first
    ) -> PageSequence<Kind.Output> {
        PageSequence(by: style, startingAt: position) { change in try await with(change).response }
    }
}
