#if Macros
public import HTTPChain
public import HTTPChainPagination

/// Sets the pagination style of a method that returns a `PageSequence`: `@Paged(by: .linkHeader())`.
@attached(peer)
public macro Paged(by style: PaginationStyle<Never>) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sets a pagination style that uses the content of a page: `@Paged(by: .nextURL { (page: PlantPage) in page.next })`.
@attached(peer)
public macro Paged<Value>(by style: PaginationStyle<Value>) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sets the stream options of a method that returns an `EventStream`: `@EventOptions(.untilDone)`.
@attached(peer)
public macro EventOptions(_ options: EventStreamOptions) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")
#endif
