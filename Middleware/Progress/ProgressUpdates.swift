package import HTTPChainCore

/// The progress of a single call.
///
/// Newer reports replace older ones.
package struct ProgressUpdates: Sendable {
    let observer = ProgressObserver()

    /// Makes the progress of a call that will be made later.
    package init() {}

    /// Returns a request that reports its progress here.
    package func observing(_ request: consuming Request) -> Request {
        request.add(observer)
        return request
    }

    /// The reports.
    ///
    /// Iteration begins with those that are already waiting.
    var stream: AsyncStream<TransferProgress> {
        AsyncStream { [observer] in await observer.next() }
    }
}
