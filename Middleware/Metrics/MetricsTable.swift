import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import Metrics

/// The instruments of a stage, created once for each combination of attributes.
final class MetricsTable: Sendable {
    /// The target of a request, as in its head.
    ///
    /// Looking it up doesn't require parsing a URL.
    private struct Key: Hashable {
        let method: String
        let scheme: String?
        let authority: String?
        let template: String?
    }

    private struct Server: Hashable {
        let address: String
        let port: String
    }

    private struct State {
        var factory: (any MetricsFactory)?
        var series: [Key: MetricsSeries] = [:]
        /// The most recently used series, because comparing them is faster than hashing.
        var recent: [(key: Key, series: MetricsSeries)] = []
        /// The index of the next entry to replace.
        var oldest = 0
        /// The series by attributes.
        ///
        /// Several keys may have the same attributes, because of letter case or a limit.
        var attributed: [[String]: MetricsSeries] = [:]
        var servers: Set<Server> = []
        var templates: Set<String> = []
        var activeCalls: [String: any MeterHandler] = [:]
    }

    /// The maximum number of keys.
    ///
    /// The limit is necessary because a server's name can be spelled in any number of ways.
    private static let keyLimit = 4096
    private static let recentLimit = 4

    let limits: MetricsLimits
    private let unit: MetricsUnit
    private let tellsTemplate: Bool
    private let tellsVersion: Bool
    private let knownMethods: Set<String>
    private let state: Locked<State>

    init(
        unit: MetricsUnit,
        factory: (any MetricsFactory)?,
        details: Set<MetricsDetails>,
        limits: MetricsLimits,
        knownMethods: Set<String>
    ) {
        self.unit = unit
        self.knownMethods = knownMethods
        tellsTemplate = details.contains(.urlTemplate)
        tellsVersion = details.contains(.protocolVersion)
        self.limits = limits
        state = Locked(State(factory: factory))
    }

    /// Returns the instruments for a request's target.
    ///
    /// The method is recorded by name if it is known.
    func series(for head: borrowing HTTPRequest, method: String, template: String?) -> MetricsSeries {
        let key = Key(method: method, scheme: head.scheme, authority: head.authority, template: template)
        return state.withLock { state in
            for index in state.recent.indices where state.recent[index].key == key { return state.recent[index].series }
            let series = find(key, &state)
            if state.recent.count < Self.recentLimit {
                state.recent.append((key, series))
            } else {
                state.recent[state.oldest] = (key, series)
                state.oldest = (state.oldest + 1) % Self.recentLimit
            }
            return series
        }
    }

    private func find(_ key: Key, _ state: inout State) -> MetricsSeries {
        if let series = state.series[key] { return series }
        let series = make(key, &state)
        if state.series.count >= Self.keyLimit { state.series.removeAll() }
        state.series[key] = series
        return series
    }

    /// Returns the recorded name of a method.
    private func name(of method: String) -> String {
        knownMethods.contains(method) ? method : HTTPSemantics.otherMethod
    }

    /// Returns the number of active calls with a method.
    ///
    /// Their targets aren't known when calls begin.
    func activeCalls(_ method: String) -> any MeterHandler {
        let method = name(of: method)
        return state.withLock { state in
            if let meter = state.activeCalls[method] { return meter }
            let factory = state.factory ?? MetricsSystem.factory
            state.factory = factory
            let meter = factory.makeMeter(
                label: HTTPMetrics.activeCalls.name,
                dimensions: [("http.request.method", method)]
            )
            state.activeCalls[method] = meter
            return meter
        }
    }

    private func make(_ key: Key, _ state: inout State) -> MetricsSeries {
        let factory = state.factory ?? MetricsSystem.factory
        state.factory = factory
        let server = server(of: key, &state)
        var attributes = [
            ("http.request.method", name(of: key.method)), ("server.address", server.address),
            ("server.port", server.port),
        ]
        if tellsTemplate {
            var template = key.template ?? ""
            if !template.isEmpty, !state.templates.contains(template) {
                if state.templates.count < limits.templates {
                    state.templates.insert(template)
                } else {
                    template = HTTPSemantics.otherMethod
                }
            }
            attributes.append(("url.template", template))
        }
        let values = attributes.map(\.1)
        if let series = state.attributed[values] { return series }
        let series = MetricsSeries(
            attributes,
            unit: unit,
            tellsVersion: tellsVersion && unit == .attempt,
            limit: limits.outcomes,
            factory: factory
        )
        state.attributed[values] = series
        return series
    }

    private func server(of key: Key, _ state: inout State) -> Server {
        guard let origin = Origin(scheme: key.scheme, authority: key.authority) else {
            return Server(address: "", port: "")
        }
        let server = Server(address: origin.server.unbracketed, port: String(origin.port))
        if state.servers.contains(server) { return server }
        guard state.servers.count < limits.servers else { return Server(address: HTTPSemantics.otherMethod, port: "") }
        state.servers.insert(server)
        return server
    }
}

extension MetricsLimits {
    var text: String { "\(servers) servers, \(templates) templates, \(outcomes) outcomes" }
}
