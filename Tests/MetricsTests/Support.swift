#if AllTests
import HTTPChainCore
import HTTPChainTesting
import Metrics

let url = "https://api.example.com/plants"

/// Keeps what instruments were told, and how many were made.
final class MetricsRecorder: MetricsFactory {
    struct Sample: Hashable, CustomStringConvertible {
        let name: String
        let attributes: [String: String]
        let values: [Double]

        var description: String {
            "\(name) \(attributes.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ")) \(values)"
        }

        /// An attribute; nil for one that is empty.
        subscript(attribute: String) -> String? {
            attributes[attribute].flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    private final class Handler: CounterHandler, RecorderHandler, MeterHandler {
        let label: String
        let dimensions: [(String, String)]
        let values = Locked<[Double]>([])

        init(_ label: String, _ dimensions: [(String, String)]) {
            self.label = label
            self.dimensions = dimensions
        }

        func increment(by amount: Int64) { add(Double(amount)) }
        func increment(by amount: Double) { add(amount) }
        func decrement(by amount: Double) { add(-amount) }
        func set(_ value: Int64) { record(Double(value)) }
        func set(_ value: Double) { record(value) }
        func reset() {}
        func record(_ value: Int64) { record(Double(value)) }
        func record(_ value: Double) { values.withLock { $0.append(value) } }

        private func add(_ amount: Double) {
            values.withLock { $0 = [($0.first ?? 0) + amount] }
        }
    }

    private let handlers = Locked<[Handler]>([])

    /// All instruments that were told something, in the order they were made.
    var samples: [Sample] {
        handlers.withLock { $0 }.compactMap { handler in
            let values = handler.values.withLock { $0 }
            guard !values.isEmpty else { return nil }
            return Sample(
                name: handler.label,
                attributes: Dictionary(handler.dimensions, uniquingKeysWith: { first, _ in first }),
                values: values
            )
        }
    }

    var instrumentCount: Int { handlers.withLock { $0.count } }

    /// Those of one metric.
    func samples(of metric: String) -> [Sample] { samples.filter { $0.name == metric } }

    /// All values of one metric, whatever its attributes.
    func values(of metric: String) -> [Double] { samples(of: metric).flatMap(\.values) }

    /// The names of attributes that the instruments of each metric were made with.
    var attributeNames: [String: Set<[String]>] {
        var names: [String: Set<[String]>] = [:]
        for handler in handlers.withLock({ $0 }) {
            names[handler.label, default: []].insert(handler.dimensions.map(\.0))
        }
        return names
    }

    private func make(_ label: String, _ dimensions: [(String, String)]) -> Handler {
        let handler = Handler(label, dimensions)
        handlers.withLock { $0.append(handler) }
        return handler
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { make(label, dimensions) }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { make(label, dimensions) }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        make(label, dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { NOOPMetricsHandler.instance }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}
#endif
