import AsyncHTTPClient
import Foundation
import HTTPChainAsyncHTTPClient
import HTTPChainCore
import HTTPChainURLSession
import NIOCore
import NIOHTTP1
import Scenarios

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transport, and the client below it used without the library.
struct NetworkPeer {
    let name: String
    let transport: any Transport
    let bare: Scenario
    let shutdown: () async throws -> Void

    /// AsyncHTTPClient: the same client serves both.
    static func asyncHTTPClient(_ url: String, named name: String = "asynchttpclient") -> NetworkPeer {
        let client = HTTPClient(
            eventLoopGroup: HTTPClient.defaultEventLoopGroup,
            configuration: AsyncHTTPClientTransport.standardConfiguration
        )
        let bare = Scenario(name: "bare") { count in
            for _ in 0..<count {
                var request = HTTPClientRequest(url: url)
                for field in ReadmeScenarios.fields { request.headers.add(name: field.name, value: field.value) }
                let response = try await client.execute(request, timeout: .seconds(60))
                guard response.status == .ok else { throw UnexpectedCode(code: Int(response.status.code)) }
                _ = try await response.body.collect(upTo: 1 << 16)
            }
        }
        return NetworkPeer(
            name: name,
            transport: AsyncHTTPClientTransport(client: client),
            bare: bare,
            shutdown: { try await client.shutdown() }
        )
    }

    /// URLSession: one session each, with as many connections to a host.
    static func urlSession(_ url: String) throws -> NetworkPeer {
        let transport = URLSessionTransport()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 16
        let session = URLSession(configuration: configuration)
        guard let address = URL(string: url) else { throw UnexpectedCode(code: 0) }
        let bare = Scenario(name: "bare") { count in
            for _ in 0..<count {
                var request = URLRequest(url: address)
                for field in ReadmeScenarios.fields { request.setValue(field.value, forHTTPHeaderField: field.name) }
                let (_, response) = try await session.data(for: request)
                let code = (response as? HTTPURLResponse)?.statusCode ?? 0
                guard code == 200 else { throw UnexpectedCode(code: code) }
            }
        }
        return NetworkPeer(
            name: "urlsession",
            transport: transport,
            bare: bare,
            shutdown: {
                await transport.shutdown()
                session.invalidateAndCancel()
            }
        )
    }
}

/// A bare client was not answered as it must.
struct UnexpectedCode: Error {
    let code: Int
}
