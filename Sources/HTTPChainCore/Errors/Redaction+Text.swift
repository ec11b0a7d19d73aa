import Foundation

extension Redaction {
    /// Whether a name in a query, a form or a structured body stands before a secret.
    ///
    /// Letter case, hyphens and underscores make no difference: `accessToken` is `access_token`.
    public func isSecret(name: String) -> Bool {
        SecretNames(self).contains(name)
    }

    /// The text with secret values blotted out, whole or cut off anywhere.
    ///
    /// It knows members of JSON objects (also of JSON inside a JSON string), pairs of forms and queries, elements and
    /// attributes of XML, and property lists. The names are ``memberNames`` and ``fieldNames``. What is none of these
    /// is left as it is.
    public func text(_ text: String) -> String {
        SecretNames(self).redacted(text)
    }

    /// The preview with secret values blotted out, as ``text(_:)`` does; binary data, which is never shown, is left as
    /// it is.
    public func preview(_ preview: BodyPreview) -> BodyPreview {
        guard let shown = preview.text else { return preview }
        let redacted = text(shown)
        return redacted == shown ? preview : BodyPreview(Data(redacted.utf8), isTruncated: preview.isTruncated)
    }
}
