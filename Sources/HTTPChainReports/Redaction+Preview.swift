import Foundation
package import HTTPChainRedaction

extension Redaction {
    /// Redacts a preview, like ``text(_:)``; binary data is unchanged, because it is never shown.
    package func preview(_ preview: BodyPreview) -> BodyPreview {
        guard let shown = preview.text else { return preview }
        let redacted = text(shown, isCutOff: preview.isTruncated)
        return redacted == shown ? preview : BodyPreview(Data(redacted.utf8), isTruncated: preview.isTruncated)
    }
}
