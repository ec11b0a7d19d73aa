import Foundation
public import HTTPChainCore

/// The request of an exchange.
public struct HARRequest: Sendable, Hashable, Codable {
    /// The method.
    public var method: String
    /// The absolute URL, without a fragment.
    public var url: String
    /// The version of HTTP, as the program names it; "unknown" where it does not.
    public var httpVersion = "unknown"
    /// The cookies sent.
    public var cookies: [HARCookie] = []
    /// The header fields, in order.
    public var headers: [HARField] = []
    /// The parameters of the query, decoded.
    public var queryString: [HARField] = []
    /// The content.
    public var postData: HARPostData?
    /// The bytes of the head; -1 where not known.
    public var headersSize: Int64 = -1
    /// The bytes of the content as it was sent; -1 where not known.
    public var bodySize: Int64 = -1
    /// Words of a user or a program.
    public var comment: String?
    /// Fields that the specification does not have.
    public var customFields: [String: JSONValue] = [:]

    /// Makes a request; the query's parameters are taken from the URL.
    public init(method: String, url: String, headers: [HARField] = [], postData: HARPostData? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.postData = postData
        queryString = URLParts(url).query.map { HARField(name: $0.name, value: $0.value ?? "") }
    }

    /// The values of a header field, in order; letter case does not matter.
    public func values(of field: String) -> [String] { headers.values(of: field) }

    /// The file beside the archive that holds the content, if it is in one.
    var contentFile: String? {
        guard let data = postData, data.text?.isEmpty != false else { return nil }
        return data.customFields["_file"]?.string
    }

    init(_ object: HARObject) throws(HARError) {
        var object = object
        method = object.string("method") ?? "GET"
        guard let url = object.string("url") else { throw HARError(.missing(path: object.path + ".url")) }
        self.url = url
        httpVersion = object.string("httpVersion") ?? "unknown"
        for cookie in try object.objects("cookies") { cookies.append(HARCookie(cookie)) }
        for field in try object.objects("headers") { headers.append(HARField(field)) }
        for field in try object.objects("queryString") { queryString.append(HARField(field)) }
        postData = try object.object("postData").map { (object) throws(HARError) in try HARPostData(object) }
        headersSize = object.integer("headersSize") ?? -1
        bodySize = object.integer("bodySize") ?? -1
        comment = object.string("comment")
        customFields = object.rest
    }

    var tree: JSONTree {
        var members = HARMembers()
        members.add("method", method)
        members.add("url", url)
        members.add("httpVersion", httpVersion)
        members.add("cookies", .array(cookies.map(\.tree)))
        members.add("headers", .array(headers.map(\.tree)))
        members.add("queryString", .array(queryString.map(\.tree)))
        members.add("postData", postData?.tree)
        members.add("headersSize", headersSize)
        members.add("bodySize", bodySize)
        members.add("comment", comment)
        members.add(customFields)
        return members.tree
    }

    /// Reads it from whatever decoder.
    public init(from decoder: any Decoder) throws {
        try self.init(HARObject(JSONTree(decoding: decoder), path: "request"))
    }

    /// Writes it with whatever encoder.
    public func encode(to encoder: any Encoder) throws { try tree.encode(with: encoder) }
}

/// The content of a request.
public struct HARPostData: Sendable, Hashable, Codable {
    /// The media type, as `Content-Type` has it.
    public var mimeType: String
    /// The content as text.
    public var text: String?
    /// The parameters of a form, where a program wrote these instead of the text.
    public var params: [HARParameter] = []
    /// The encoding of ``text``: "base64" for what is not text; `nil` for text.
    ///
    /// HAR 1.2 has this for responses only; it is written as `_encoding`.
    public var encoding: String?
    /// Words of a user or a program.
    public var comment: String?
    /// Fields that the specification does not have: `_truncated`, `_file`, those of other programs.
    public var customFields: [String: JSONValue] = [:]

    /// Makes content of text.
    public init(mimeType: String, text: String? = nil) {
        self.mimeType = mimeType
        self.text = text
    }

    init(_ object: HARObject) throws(HARError) {
        var object = object
        mimeType = object.string("mimeType") ?? ""
        text = object.string("text")
        for parameter in try object.objects("params") { params.append(HARParameter(parameter)) }
        let standard = object.string("encoding")
        encoding = object.string("_encoding") ?? standard
        if encoding?.isEmpty == true { encoding = nil }
        comment = object.string("comment")
        customFields = object.rest
    }

    var tree: JSONTree {
        var members = HARMembers()
        members.add("mimeType", mimeType)
        members.add("text", text)
        if !params.isEmpty { members.add("params", .array(params.map(\.tree))) }
        members.add("comment", comment)
        members.add("_encoding", encoding)
        members.add(customFields)
        return members.tree
    }

    /// Reads it from whatever decoder.
    public init(from decoder: any Decoder) throws {
        try self.init(HARObject(JSONTree(decoding: decoder), path: "postData"))
    }

    /// Writes it with whatever encoder.
    public func encode(to encoder: any Encoder) throws { try tree.encode(with: encoder) }
}

extension HARPostData {
    /// Takes content that was in a file.
    mutating func fill(_ content: CapturedBody) {
        text = content.bytes.base64EncodedString()
        encoding = "base64"
        if content.isTruncated { customFields["_truncated"] = true }
    }
}

/// A parameter of a form.
public struct HARParameter: Sendable, Hashable, Codable {
    /// The parameter's name.
    public var name: String
    /// Its value, or the content of its file.
    public var value: String?
    /// The name of its file.
    public var fileName: String?
    /// The media type of its file.
    public var contentType: String?
    /// Words of a user or a program.
    public var comment: String?
    /// Fields that the specification does not have.
    public var customFields: [String: JSONValue] = [:]

    /// Makes a parameter.
    public init(name: String, value: String?) {
        self.name = name
        self.value = value
    }

    init(_ object: HARObject) {
        var object = object
        name = object.string("name") ?? ""
        value = object.string("value")
        fileName = object.string("fileName")
        contentType = object.string("contentType")
        comment = object.string("comment")
        customFields = object.rest
    }

    var tree: JSONTree {
        var members = HARMembers()
        members.add("name", name)
        members.add("value", value)
        members.add("fileName", fileName)
        members.add("contentType", contentType)
        members.add("comment", comment)
        members.add(customFields)
        return members.tree
    }

    /// Reads it from whatever decoder.
    public init(from decoder: any Decoder) throws {
        self.init(try HARObject(JSONTree(decoding: decoder), path: "params"))
    }

    /// Writes it with whatever encoder.
    public func encode(to encoder: any Encoder) throws { try tree.encode(with: encoder) }
}
