#if Macros
/// A call with the method GET, RFC 9110 §9.3.1.
///
/// - Parameter path: The path, relative to the base; `{name}` is a variable with the value of the parameter of that
///   name.
@attached(peer)
public macro GET(_ path: String = "") =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// A call with the method HEAD, RFC 9110 §9.3.2.
///
/// - Parameter path: The path, relative to the base; `{name}` is a variable with the value of the parameter of that
///   name.
@attached(peer)
public macro HEAD(_ path: String = "") =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// A call with the method POST, RFC 9110 §9.3.3.
///
/// - Parameter path: The path, relative to the base; `{name}` is a variable with the value of the parameter of that
///   name.
@attached(peer)
public macro POST(_ path: String = "") =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// A call with the method PUT, RFC 9110 §9.3.4.
///
/// - Parameter path: The path, relative to the base; `{name}` is a variable with the value of the parameter of that
///   name.
@attached(peer)
public macro PUT(_ path: String = "") =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// A call with the method PATCH, RFC 5789.
///
/// - Parameter path: The path, relative to the base; `{name}` is a variable with the value of the parameter of that
///   name.
@attached(peer)
public macro PATCH(_ path: String = "") =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// A call with the method DELETE, RFC 9110 §9.3.5.
///
/// - Parameter path: The path, relative to the base; `{name}` is a variable with the value of the parameter of that
///   name.
@attached(peer)
public macro DELETE(_ path: String = "") =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// A call with the method OPTIONS, RFC 9110 §9.3.7.
///
/// - Parameter path: The path, relative to the base; `{name}` is a variable with the value of the parameter of that
///   name.
@attached(peer)
public macro OPTIONS(_ path: String = "") =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// A call with the method QUERY, draft-ietf-httpbis-safe-method-w-body.
///
/// - Parameter path: The path, relative to the base; `{name}` is a variable with the value of the parameter of that
///   name.
@attached(peer)
public macro QUERY(_ path: String = "") =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")
#endif
