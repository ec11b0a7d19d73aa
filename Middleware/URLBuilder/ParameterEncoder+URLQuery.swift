package import HTTPChainCore

extension ParameterEncoder {
    /// Returns the query without a question mark, or an empty text if there are no parameters.
    ///
    /// - Throws: ``URLBuilderError`` with the parameter's name if a value can't be encoded.
    package func encode(_ query: URLQuery) throws(URLBuilderError) -> String {
        String(decoding: try bytes(query), as: UTF8.self)
    }

    func bytes(_ query: URLQuery) throws(URLBuilderError) -> [UInt8] {
        var writer = ParameterWriter(self)
        do {
            for item in query.items {
                switch item {
                case .pair(let pair): try writer.append(pair.value.parameterValue, named: keys.styled(pair.name))
                case .value(let value): try writer.append(contentsOf: value)
                case .raw(let text): writer.append(encoded: Self.encoded(raw: text))
                }
            }
        } catch EncodingError.invalidValue(let value, let context) {
            throw URLBuilderError(
                .unencodableQuery(
                    path: context.codingPath.map(\.stringValue).joined(separator: "."),
                    reason: context.debugDescription
                ),
                underlyingError: EncodingError.invalidValue(value, context)
            )
        } catch {
            throw URLBuilderError(
                .unencodableQuery(path: "", reason: "the value does not encode"),
                underlyingError: error
            )
        }
        return writer.output
    }

    /// Percent-encodes characters that are invalid in URLs, and number signs, because a fragment would cut off the
    /// rest.
    private static func encoded(raw text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(percentEncoding: text, allowed: .reserved, keepingTriplets: true)
        for index in bytes.indices.reversed() where bytes[index] == .hash {
            bytes.replaceSubrange(index...index, with: "%23".utf8)
        }
        return bytes
    }
}

extension URLValue {
    /// The value in the form in which queries and forms use it.
    package var parameterValue: ParameterValue {
        switch self {
        case .null: .null
        case .string(let text), .opaque(let text): .text(text)
        case .integer(let number): .text(String(number))
        case .double(let number): .number(number)
        case .bool(let truth): .truth(truth)
        case .date(let date): .date(date)
        case .array(let members): .list(members.map(\.parameterValue))
        case .dictionary(let parameters):
            .members(parameters.elements.map { ($0.name, $0.value.parameterValue) }, areData: false)
        }
    }
}
