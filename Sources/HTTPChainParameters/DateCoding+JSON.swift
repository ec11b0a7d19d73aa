package import Foundation
import HTTPChainSupport

extension DateCoding {
    /// Makes the encoder write dates in this style.
    package func apply(to encoder: JSONEncoder) {
        switch self {
        case .secondsSince1970: encoder.dateEncodingStrategy = .secondsSince1970
        case .millisecondsSince1970:
            // Foundation's own strategy can't write fractions.
            encoder.dateEncodingStrategy = .custom { date, encoder in
                let milliseconds = Self.wholeMilliseconds(of: date)
                var container = encoder.singleValueContainer()
                if let whole = Int64(exactly: milliseconds) {
                    try container.encode(whole)
                } else {
                    try container.encode(milliseconds)
                }
            }
        case .foundation: encoder.dateEncodingStrategy = .deferredToDate
        case .format(let format):
            // A formatter is expensive to create, so all dates of a value share one.
            let formatter = Locked(Self.formatter(format))
            encoder.dateEncodingStrategy = custom { date in formatter.withLock { $0.string(from: date) } }
        case .iso8601, .iso8601WithMilliseconds, .custom:
            encoder.dateEncodingStrategy = custom { text(of: $0) }
        }
    }

    /// Makes the decoder read dates in this style.
    package func apply(to decoder: JSONDecoder) {
        switch self {
        case .secondsSince1970: decoder.dateDecodingStrategy = .secondsSince1970
        case .millisecondsSince1970: decoder.dateDecodingStrategy = .millisecondsSince1970
        case .foundation: decoder.dateDecodingStrategy = .deferredToDate
        case .format(let format):
            let formatter = Locked(Self.formatter(format))
            decoder.dateDecodingStrategy = custom { text in formatter.withLock { $0.date(from: text) } }
        case .iso8601, .iso8601WithMilliseconds, .custom:
            decoder.dateDecodingStrategy = custom { date(from: $0) }
        }
    }

    private func custom(_ write: @escaping @Sendable (Date) -> String?) -> JSONEncoder.DateEncodingStrategy {
        .custom { date, encoder in
            var container = encoder.singleValueContainer()
            guard let text = write(date) else {
                throw EncodingError.invalidValue(
                    date,
                    EncodingError.Context(
                        codingPath: encoder.codingPath,
                        debugDescription: "the date is not finite or too far off"
                    )
                )
            }
            try container.encode(text)
        }
    }

    private func custom(_ parse: @escaping @Sendable (String) -> Date?) -> JSONDecoder.DateDecodingStrategy {
        .custom { decoder in
            let container = try decoder.singleValueContainer()
            if let date = parse(try container.decode(String.self)) { return date }
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "the text is not a date as \(self) writes it"
            )
        }
    }
}
