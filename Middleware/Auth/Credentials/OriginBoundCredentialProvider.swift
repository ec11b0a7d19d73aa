/// A provider that knows beforehand which origins its credentials are for.
///
/// Only then a server may name other origins where its credentials are good as well (`domain` of Digest, RFC 7616
/// §3.3): it is the provider's word that counts, not the server's.
public protocol OriginBoundCredentialProvider: CredentialProvider {
    /// Where the credentials may go.
    var origins: OriginSet { get }
}

extension FixedCredential: OriginBoundCredentialProvider {}
extension ClosureCredentialProvider: OriginBoundCredentialProvider {}
