import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import Logging

/// Logs the exchanges of one stage, and is shared by all of its calls.
package final class ExchangeJournal: Sendable {
    let unit: ExchangeUnit
    let shownFields: LoggedFields
    let bodyLimit: ByteCount
    /// Provides the task's trace.
    let metadataProvider: Logger.MetadataProvider?
    private let sink: any LogSink
    private let component: String
    private let levels: ExchangeLevels
    private let details: ExchangeDetails
    private let filter: LogFilter?
    private let formatter: any LogFormatter
    /// The least detail that the formatter requires, and the most that it shows.
    private let formatted: ClosedRange<ExchangeDetail>
    /// The levels that a record may have.
    private let possibleLevels: [Logger.Level]
    /// The most severe possible level.
    ///
    /// A sink that isn't enabled for this level isn't enabled for any of them.
    private let mostSevereLevel: Logger.Level?

    init(
        _ sink: any LogSink,
        unit: ExchangeUnit,
        component: String?,
        levels: ExchangeLevels?,
        details: ExchangeDetails,
        bodyLimit: ByteCount,
        showing fields: LoggedFields,
        filter: LogFilter?,
        formatter: any LogFormatter,
        metadataProvider: Logger.MetadataProvider? = nil
    ) {
        self.unit = unit
        shownFields = fields
        self.bodyLimit = bodyLimit
        self.sink = sink
        self.component = component ?? unit.component
        let levels = levels ?? (unit == .call ? .calls : .attempts)
        self.levels = levels
        self.details = details
        self.filter = filter
        self.formatter = formatter
        formatted = formatter.usedDetails
        self.metadataProvider = metadataProvider
        possibleLevels = Array(Set(ExchangeOutcome.allCases.compactMap { levels[$0] }))
        mostSevereLevel = possibleLevels.max()
    }

    var settings: KeyValuePairs<String, String> {
        [
            "logs": unit == .call ? "each call" : "each attempt", "component": component,
            "levels": ExchangeOutcome.allCases.map { "\($0) \(levels[$0].map { "\($0)" } ?? "off")" }
                .joined(separator: ", "),
            "detail": details.description, "bodies": "up to \(bodyLimit)",
        ]
    }

    /// Returns a warning if the stage is configured for more detail than the formatter shows.
    func problems(of stage: String) -> [ChainProblem] {
        let wanted = possibleLevels.map { details[$0] }.max() ?? .summary
        guard wanted > formatted.upperBound else { return [] }
        let shown = "\(StageSummary.name(of: type(of: formatter))) shows no more than \(formatted.upperBound)"
        return [
            ChainProblem(
                stage: stage,
                problem: "\(stage) has the detail \(details), but its \(shown)",
                fix: "use formatter: .semantic, or leave out the detail",
                severity: .warning
            )
        ]
    }

    /// Returns whether no record of the call would be logged, regardless of its outcome.
    func isSilent(for request: borrowing Request) -> Bool {
        if request.options.contains(LogTrafficNote.self), request.options[LogTrafficNote.self] { return true }
        guard request.options.contains(LoggingOption.self) else { return isSilent(component) }
        let logging = request.options[LoggingOption.self]
        return logging.isOff || isSilent(logging.component ?? component)
    }

    private func isSilent(_ component: String) -> Bool {
        guard let mostSevereLevel else { return true }
        return !sink.isEnabled(mostSevereLevel, for: component)
    }

    /// Passes a request on, and writes the record when the exchange is over.
    func follow(_ request: consuming Request, _ next: Next) async throws -> Response {
        let id = request.options[LogCallNote.self] ?? request.environment.random.next()
        request.options[LogCallNote.self] = id
        if let filter {
            let component = request.options[LoggingOption.self].component ?? component
            // A call that is certainly excluded costs nothing more.
            if filter.decision(LogFilter.Facts(callID: id, component: component)) == false {
                return try await next(request)
            }
        }
        let recorder = await begin(&request, id)
        do {
            var response = try await next(request)
            recorder.follow(&response)
            return response
        } catch {
            recorder.end(nil, error: error)
            throw error
        }
    }

    private func begin(_ request: inout Request, _ id: UInt64) async -> ExchangeRecorder {
        let logging = request.options[LoggingOption.self]
        let component = logging.component ?? component
        let most = logging.detail ?? mostDetail(of: component)
        let record = unit == .call ? request.recordCall() : nil
        let body = await RequestBodyView(&request, upTo: most == .bodies ? bodyLimit : nil)
        let call = ExchangeRecorder.Call(
            request: most >= .headers ? request.head : request.head.withoutFields,
            isAbsolute: request.head.authority != nil,
            record: record,
            body: body,
            attempt: unit == .attempt ? request.attempt : 1,
            id: id,
            logging: logging,
            component: component,
            seesBodies: most == .bodies,
            redaction: LogRedaction(request.redaction, showing: shownFields)
        )
        return ExchangeRecorder(call, for: self, options: request.options)
    }

    private func mostDetail(of component: String) -> ExchangeDetail {
        let taken = possibleLevels.filter { sink.isEnabled($0, for: component) }
        return max(formatted.lowerBound, taken.map { details[$0] }.max() ?? .summary)
    }

    /// Returns the level and the detail for an outcome, or `nil` if it isn't logged.
    func entry(
        for outcome: ExchangeOutcome,
        from component: String,
        asking detail: ExchangeDetail?
    ) -> (level: Logger.Level, detail: ExchangeDetail)? {
        guard let level = levels[outcome], sink.isEnabled(level, for: component) else { return nil }
        return (level, detail ?? max(formatted.lowerBound, details[level]))
    }

    /// Returns whether an exchange with these facts is logged, or `nil` if that depends on its record.
    func decision(_ facts: LogFilter.Facts) -> Bool? {
        guard let filter else { return true }
        return filter.decision(facts)
    }

    /// Writes a record.
    ///
    /// - Parameters:
    ///   - isDecided: Whether it is already known that the filter includes the record.
    ///   - detail: The detail that the call requests. If the formatter doesn't show all of it, the attributes of
    ///     ``LogFormatter/semantic`` are added.
    func write(_ exchange: ExchangeLog, isDecided: Bool, asking detail: ExchangeDetail?) {
        if !isDecided, let filter, !filter.includes(exchange) { return }
        let showsAll = (detail ?? .summary) <= formatted.upperBound
        sink.log(
            LogRecord(
                date: exchange.start.addingTimeInterval(exchange.duration.inSeconds),
                level: exchange.level,
                component: exchange.component,
                message: formatter.message(for: exchange),
                attributes: showsAll ? formatter.attributes(for: exchange) : LogAttributes(exchange)
            )
        )
    }
}
