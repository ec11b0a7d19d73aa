#if Macros
/// Sends constant header fields; in their values `{name}` and `%%0%%` stand for parameters.
@attached(peer)
public macro Headers(_ fields: KeyValuePairs<String, String>) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends a multipart form with a boundary of one's own; without this annotation ``Part(_:)`` has a random one.
@attached(peer)
public macro Multipart(boundary: String? = nil) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Encodes the fields as a form, `application/x-www-form-urlencoded`.
@attached(peer)
public macro FormURLEncoded() =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Serializes the call with a serializer of its own.
@attached(peer)
public macro Serializer(_ serializer: any HTTPChain.Serializer) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Serializes the call with the chain's serializer of a name.
@attached(peer)
public macro Serializer(_ name: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Leaves the content as it is, both ways.
@attached(peer)
public macro WithoutSerialization() =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Decodes what stands at a key path of the content.
@attached(peer)
public macro KeyPath(_ path: BodyKeyPath) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Encodes the content under a key.
@attached(peer)
public macro RootKey(_ path: BodyKeyPath) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Compresses what is sent; see `GzipMiddleware`.
@attached(peer)
public macro Gzip() =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")
#endif
