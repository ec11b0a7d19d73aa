// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase
// The part of a cookie that the rules use; the type itself is `Codable`, which embedded Swift has not.

public struct Cookie: Sendable {
    public enum SameSite: String, Sendable, Hashable { case unspecified, none, lax, strict }
}
