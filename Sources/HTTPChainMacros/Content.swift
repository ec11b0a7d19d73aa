#if Macros
/// Sends constant header fields; `{name}` and `%%0%%` in their values are replaced by parameters.
@attached(peer)
public macro Headers(_ fields: KeyValuePairs<String, String>) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends a multipart form with a given boundary; without this annotation, ``Part(_:from:)`` uses a random one.
@attached(peer)
public macro Multipart(boundary: String? = nil) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Encodes the fields as a form, `application/x-www-form-urlencoded`.
@attached(peer)
public macro FormURLEncoded() =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Serializes the call with a given serializer, which decodes the response too.
///
/// On a service, it applies to the methods whose content is encoded or whose result is decoded.
@attached(peer)
public macro Serializer(_ serializer: any HTTPChain.Serializer) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Serializes the call with the chain's serializer of the given name.
@attached(peer)
public macro Serializer(_ name: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Serializes the content of the request and the response, or leaves it unserialized.
@attached(peer)
public macro Serializer(_ isOn: Bool) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Decodes the value at a key path of the content.
///
/// On a service, it applies to the methods whose result is decoded.
@attached(peer)
public macro KeyPath(_ path: BodyKeyPath) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Encodes the content under a key path.
@attached(peer)
public macro RootKey(_ path: BodyKeyPath) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Compresses the request content; see `GzipMiddleware`.
@attached(peer)
public macro Gzip() =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")
#endif
