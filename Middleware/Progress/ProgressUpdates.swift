package import HTTPChainCore

/// The progress of a single call, of which newer reports replace older ones.
package struct ProgressUpdates: Sendable {
    let observer = ProgressObserver()

    /// Makes the progress of a call that is made later.
    package init() {}

    /// Returns a request that reports its progress here.
    package func observing(_ request: consuming Request) -> Request {
        request.add(observer)
        return request
    }

    /// The reports; iteration begins with those that are already waiting.
    var stream: AsyncStream<TransferProgress> {
        AsyncStream { [observer] in await observer.next() }
    }
}
