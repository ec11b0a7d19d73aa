import Foundation
import HTTPChainCore
import HTTPChainSerializer
import HTTPTypes

/// A reply of 1 MiB of JSON, decoded by a chain's serializer and by `JSONDecoder`.
public enum SerializerScenarios {
    private struct Plant: Codable, Sendable {
        var id: Int
        var name: String
        var height: Double
        var isEvergreen: Bool
        var places: [String]
    }

    /// Both scenarios, by the names of their figures.
    public static func all() throws -> [Scenario] {
        var plants: [Plant] = []
        for id in 0..<9100 {
            plants.append(
                Plant(
                    id: id,
                    name: "Plant number \(id)",
                    height: Double(id) / 8,
                    isEvergreen: id % 3 == 0,
                    places: ["garden", "glasshouse", "meadow"]
                )
            )
        }
        let bytes = try JSONEncoder().encode(plants)
        guard bytes.count > 1 << 20 else { throw ShortBody(count: Int64(bytes.count)) }
        let count = plants.count
        let response = Response(.ok, headers: [.contentType: "application/json"], body: HTTPBody(bytes))
        let chain = try Chain(transport: CannedTransport(response)) { SerializerMiddleware(.json) }
        let request = Request.get("https://api.example.com/plants")
        return [
            Scenario(name: "serializer.json1m") { times in
                for _ in 0..<times {
                    let decoded = try await chain.send(request, as: [Plant].self)
                    guard decoded.count == count else { throw ShortBody(count: Int64(decoded.count)) }
                }
            },
            Scenario(name: "serializer.json1m.decoder") { times in
                for _ in 0..<times {
                    let decoder = JSONDecoder()
                    decoder.dateDecodingStrategy = .iso8601
                    let decoded = try decoder.decode([Plant].self, from: bytes)
                    guard decoded.count == count else { throw ShortBody(count: Int64(decoded.count)) }
                }
            },
        ]
    }
}
