package import HTTPChainCore
package import HTTPChainTesting

extension Request {
    /// Returns the request in an environment whose time is a virtual clock's.
    package func on(_ clock: VirtualClock) -> Request {
        var request = self
        request.environment = .virtual(clock)
        return request
    }
}

extension Chain {
    /// Sends many calls at once to a transport that delays its responses by a second, and cancels every third.
    ///
    /// - Parameters:
    ///   - request: The request of each call.
    ///   - count: The number of calls, all of which have ended when it returns.
    package func sendMany(_ request: Request, count: Int) async {
        let clock = VirtualClock()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                group.addTask {
                    let call = Task { try await send(request.on(clock)).body.text() }
                    if index.isMultiple(of: 3) { call.cancel() }
                    _ = await call.result
                }
            }
            group.addTask {
                try? await clock.waitForSleepers(count: count - (count + 2) / 3)
                clock.advance(by: .seconds(1))
            }
        }
    }
}
