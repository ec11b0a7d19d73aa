import Foundation
import HTTPChainCore
import HTTPTypes

extension SerializerMiddleware {
    /// Encodes a value in the body as bytes, or adds it to the query.
    func encodeBody(of request: inout Request, for call: CallSerialization) throws {
        guard let value = request.body.value else { return }
        let given = request.head.headerFields[.contentType]
        do {
            let serializer = try writer(for: given, call)
            let contentType = given ?? serializer.contentType
            let context = SerializationContext(
                method: request.head.method,
                route: request.url,
                options: request.options,
                contentType: contentType
            )
            let data = try bytes(of: value, by: serializer, context, call)
            request.options[EncodedValueNote.self] = value
            let method = request.head.method
            if method == .get || method == .head || method == .delete, serializer.placesValuesInQuery {
                request.head.path = QueryPlacement.append(String(decoding: data, as: UTF8.self), to: request.head.path)
                request.head.headerFields[.contentType] = nil
                request.setContent(.empty)
            } else {
                request.head.headerFields[.contentType] = contentType
                request.setContent(HTTPBody(data))
            }
        } catch let error as SerializerError {
            throw error.with(ExchangeSnapshot(request.head, redaction: request.redaction))
        }
    }

    /// Refuses settings of the call that can't be applied.
    func checkSettings(of request: borrowing Request, for call: CallSerialization) throws(SerializerError) {
        let isDecodedElsewhere = request.options[LongLivedResponseNote.self]
        if call.isOff {
            // In this case, an event stream or a typed call decodes plain JSON, without the settings.
            if isDecodedElsewhere || request.options[ExpectedTypeNote.self] != nil, !call.decodingOverridden.isEmpty {
                throw unused(call.decodingOverridden, of: .response, request)
            }
            return
        }
        // An outer serializer has already applied the settings to the value that it encoded.
        let isEncoded =
            request.options[EncodedValueNote.self] == nil && request.body.value == nil && !request.body.isEmpty
        if isEncoded {
            let encodesValues = request.options[ValueEncoderWantedNote.self] && request.body.isPlaceholder
            let names = encodesValues ? call.bodyOnly : call.encodingOnly
            if !names.isEmpty { throw unused(names, of: .request, request) }
        }
        if isDecodedElsewhere, !call.decodingOnly.isEmpty {
            throw unused(call.decodingOnly, of: .response, request)
        }
        try checkTypes(of: request, for: call)
    }

    /// Refuses changes of the call that apply to values of another type.
    private func checkTypes(of request: borrowing Request, for call: CallSerialization) throws(SerializerError) {
        var problem: SerializerError.Problem?
        if let value = request.body.value {
            let type: Any.Type = Swift.type(of: value)
            if let change = call.afterEncoding.first(where: { !$0.applies(type) }) {
                problem = .otherType("\(type)", setting: change.setting, of: .request)
            }
        }
        if let type = request.options[ExpectedTypeNote.self],
            let change = call.afterDecoding.first(where: { !$0.applies(type) })
        {
            problem = .otherType("\(type)", setting: change.setting, of: .response)
        }
        guard let problem else { return }
        throw SerializerError(problem, exchange: ExchangeSnapshot(request.head, redaction: request.redaction))
    }

    private func unused(
        _ names: [String],
        of message: SerializerError.Message,
        _ request: borrowing Request
    ) -> SerializerError {
        let exchange = ExchangeSnapshot(request.head, redaction: request.redaction)
        return SerializerError(.unusedSettings(names, of: message), exchange: exchange)
    }

    /// Returns an encoder for values of inner stages.
    ///
    /// Root keys for bodies don't apply to them.
    func valueEncoder(for request: Request, _ call: CallSerialization) -> ValueEncoder {
        let (method, route, options) = (request.head.method, request.url, request.options)
        return ValueEncoder(isChosenByCall: call.describesValues) { value, given in
            let serializer = try writer(for: given, call)
            let type = given ?? serializer.contentType
            let context = SerializationContext(method: method, route: route, options: options, contentType: type)
            let written: any Encodable = call.encodesNilAsNull ?? encodesNilAsNull ? NullKeeping(value) : value
            return (try serializer.encode(written, in: context), type)
        }
    }

    /// Returns the serializer with the most specific match for a type.
    ///
    /// If several match equally, the first one is returned.
    func speaker(of type: MediaType) -> (any Serializer)? {
        var best: (serializer: any Serializer, precision: Int)?
        for serializer in serializers {
            guard let precision = serializer.precision(of: type), precision > best?.precision ?? -1 else { continue }
            best = (serializer, precision)
        }
        return best?.serializer
    }

    private func writer(for given: String?, _ call: CallSerialization) throws(SerializerError) -> any Serializer {
        if let choice = call.request { return try serializer(choice) }
        if let given {
            guard let type = MediaType(given), let serializer = speaker(of: type) else {
                throw noSerializer(given, of: .request)
            }
            return serializer
        }
        guard let first = serializers.first else { throw noSerializer(nil, of: .request) }
        return first
    }

    private func bytes(
        of value: any Encodable,
        by serializer: any Serializer,
        _ context: SerializationContext,
        _ call: CallSerialization
    ) throws -> Data {
        let root = call.rootKey ?? (rootKey.isWhole || serializer.hasKeys ? rootKey : .whole)
        let written: any Encodable = call.encodesNilAsNull ?? encodesNilAsNull ? NullKeeping(value) : value
        do {
            if root.isWhole { return try serializer.encode(written, in: context) }
            return try serializer.encode(written, under: root, in: context)
        } catch let error where error is CancellationError || error is SerializerError {
            throw error
        } catch {
            throw SerializerError(error, encoding: value, by: serializer)
        }
    }
}

/// Adds the text of a form to the query of a URL.
enum QueryPlacement {
    static func append(_ form: String, to path: String?) -> String {
        let path = path ?? ""
        guard !form.isEmpty else { return path }
        // The bytes are compared, because a combining character after a question mark forms a different `Character`.
        let hasQuery = path.utf8.contains(UInt8(ascii: "?"))
        // In a query according to RFC 3986, a plus sign is a plus sign. %20 is always a space.
        let query = Escaping.replacing(in: form) { $0 == "+" ? "%20" : nil }
        if hasQuery, !path.includes("{?") {
            let isOpen = path.utf8.last == UInt8(ascii: "?") || path.utf8.last == UInt8(ascii: "&")
            return path + (isOpen ? "" : "&") + query
        }
        // RFC 6570 §3.2.9: the template's own query continues after this one.
        if let expression = path.utf8.firstRange(of: "{?".utf8) {
            return path[..<expression.lowerBound] + "?" + query + "{&" + path[expression.upperBound...]
        }
        return path + "?" + query
    }
}
