// swift-format-ignore-file
// Made by Tests/CookiesTests/Resources/PublicSuffixes/update.py from the public suffix list, version 2026-08-19
// (https://publicsuffix.org).
//
// This Source Code Form is subject to the terms of the Mozilla Public License, v. 2.0. If a copy of the MPL was not
// distributed with this file, You can obtain one at https://mozilla.org/MPL/2.0/.

/// The rules of the public suffix list as text that is part of the program and is searched in place.
///
/// Each name is divided into its first label and its parent. `uk: ac co` stands for `ac.uk` and `co.uk`, and the parent
/// of `uk` is empty. Parents, and the labels of a parent, are sorted by their bytes. Each line begins with a parent.
/// `*` after a label stands for the names one label below it, `+` for both, `!` for an exception.
package enum PublicSuffixRules {
    /// The version of the list.
    static let version = "2026-08-19"

    /// The rules, with a space or a line break between the words.
    package static let text: StaticString = """
        : aaa aarp abb abbott abbvie abc able abogado abudhabi ac academy accenture accountant accountants aco actor ad
        : ads adult ae aeg aero aetna af afl africa ag agakhan agency ai aig airbus airforce airtel akdn al alibaba
        : alipay allfinanz allstate ally alsace alstom am amazon americanexpress americanfamily amex amfam amica
        : amsterdam analytics android anquan anz ao aol apartments app apple aq aquarelle ar arab aramco archi army
        : arpa art arte as asda asia associates at athleta attorney au auction audi audible audio auspost author auto
        : autos aw aws ax axa az azure ba baby baidu banamex band bank bar barcelona barclaycard barclays barefoot
        : bargains baseball basketball bauhaus bayern bb bbc bbt bbva bcg bcn bd be beats beauty beer berlin best
        : bestbuy bet bf bg bh bharti bi bible bid bike bing bingo bio biz bj black blackfriday blockbuster blog
        : bloomberg blue bm bms bmw bn bnpparibas bo boats boehringer bofa bom bond boo book booking bosch bostik
        : boston bot boutique box br bradesco bridgestone broadway broker brother brussels bs bt build builders
        : business buy buzz bv bw by bz bzh ca cab cafe cal call calvinklein cam camera camp canon capetown capital
        : capitalone car caravan cards care career careers cars casa case cash casino cat catering catholic cba cbn
        : cbre cc cd center ceo cern cf cfa cfd cg ch chanel channel charity chase chat cheap chintai christmas chrome
        : church ci cipriani circle cisco citadel citi citic city ck* cl claims cleaning click clinic clinique clothing
        : cloud club clubmed cm cn co coach codes coffee college cologne com commbank community company compare
        : computer comsec condos construction consulting contact contractors cooking cool coop corsica country coupon
        : coupons courses cpa cr credit creditcard creditunion cricket crown crs cruise cruises cu cuisinella cv cw cx
        : cy cymru cyou cz dad dance data date dating datsun day dclk dds de deal dealer deals degree delivery dell
        : deloitte delta democrat dental dentist desi design dev dhl diamonds diet digital direct directory discount
        : discover dish diy dj dk dm dnp do docs doctor dog domains dot download drive dtv dubai dupont durban dvag dvr
        : dz earth eat ec eco edeka edu education ee eg email emerck energy engineer engineering enterprises epson
        : equipment er* ericsson erni es esq estate et eu eurovision eus events exchange expert exposed express
        : extraspace fage fail fairwinds faith family fan fans farm farmers fashion fast fedex feedback ferrari ferrero
        : fi fidelity fido film final finance financial fire firestone firmdale fish fishing fit fitness fj fk* flickr
        : flights flir florist flowers fly fm fo foo food football ford forex forsale forum foundation fox fr free
        : fresenius frl frogans frontier ftr fujitsu fun fund furniture futbol fyi ga gal gallery gallo gallup game
        : games gap garden gay gb gbiz gd gdn ge gea gent genting george gf gg ggee gh gi gift gifts gives giving gl
        : glass gle global globo gm gmail gmbh gmo gmx gn godaddy gold goldpoint golf goodyear goog google gop got gov
        : gp gq gr grainger graphics gratis green gripe grocery group gs gt gu gucci guge guide guitars guru gw gy hair
        : hamburg hangout haus hbo hdfc hdfcbank health healthcare help helsinki here hermes hiphop hisamitsu hitachi
        : hiv hk hkt hm hn hockey holdings holiday homedepot homegoods homes homesense honda horse hospital host
        : hosting hot hotel hotels hotmail house how hr hsbc ht hu hughes hyatt hyundai ibm icbc ice icu id ie ieee ifm
        : ikano il im imamat imdb immo immobilien in inc industries infiniti info ing ink institute insurance insure
        : int international intuit investments io ipiranga iq ir irish is ismaili ist istanbul it itau itv jaguar java
        : jcb je jeep jetzt jewelry jio jll jm* jmp jnj jo jobs joburg jot joy jp jpmorgan jprs juegos juniper kaufen
        : kddi ke kerryhotels kerryproperties kfh kg kh ki kia kids kim kindle kitchen kiwi km kn koeln komatsu kosher
        : kp kpmg kpn kr krd kred kuokgroup kw ky kyoto kz la lacaixa lamborghini lamer land landrover lanxess lasalle
        : lat latino latrobe law lawyer lb lc lds lease leclerc lefrak legal lego lexus lgbt li lidl life lifeinsurance
        : lifestyle lighting like lilly limited limo lincoln link live living lk llc llp loan loans locker locus lol
        : london lotte lotto love lpl lplfinancial lr ls lt ltd ltda lu lundbeck luxe luxury lv ly ma madrid maif
        : maison makeup man management mango map market marketing markets marriott marshalls mattel mba mc mckinsey md
        : me med media meet melbourne meme memorial men menu merck merckmsd mg mh miami microsoft mil mini mint mit
        : mitsubishi mk ml mlb mls mm* mma mn mo mobi mobile moda moe moi mom monash money monster mormon mortgage
        : moscow moto motorcycles mov movie mp mq mr ms msd mt mtn mtr mu museum music mv mw mx my mz na nab nagoya
        : name navy nba nc ne nec net netbank netflix network neustar new news next nextdirect nexus nf nfl ng ngo nhk
        : ni nico nike nikon ninja nissan nissay nl no nokia norton now nowruz nowtv np* nr nra nrw ntt nu nyc nz obi
        : observer office okinawa olayan olayangroup ollo om omega one ong onion onl online ooo open oracle orange org
        : organic origins osaka otsuka ott ovh pa page panasonic paris pars partners parts party pay pccw pe pet pf
        : pfizer pg* ph pharmacy phd philips phone photo photography photos physio pics pictet pictures pid pin ping
        : pink pioneer pizza pk pl place play playstation plumbing plus pm pn pnc pohl poker politie porn post pr praxi
        : press prime pro prod productions prof progressive promo properties property protection pru prudential ps pt
        : pub pw pwc py qa qpon quebec quest racing radio re read realestate realtor realty recipes red redumbrella
        : rehab reise reisen reit reliance ren rent rentals repair report republican rest restaurant review reviews
        : rexroth rich richardli ricoh ril rio rip ro rocks rodeo rogers room rs rsvp ru rugby ruhr run rw rwe ryukyu
        : sa saarland safe safety sakura sale salon samsclub samsung sandvik sandvikcoromant sanofi sap sarl sas save
        : saxo sb sbi sbs sc scb schaeffler schmidt scholarships school schule schwarz science scot sd se search seat
        : secure security seek select sener services seven sew sex sexy sfr sg sh shangrila sharp shell shia shiksha
        : shoes shop shopping shouji show si silk sina singles site sj sk ski skin sky skype sl sling sm smart smile sn
        : sncf so soccer social softbank software sohu solar solutions song sony soy spa space sport spot sr srl ss st
        : stada staples star statebank statefarm stc stcgroup stockholm storage store stream studio study style su
        : sucks supplies supply support surf surgery suzuki sv swatch swiss sx sy sydney systems sz tab taipei talk
        : taobao target tatamotors tatar tattoo tax taxi tc tci td tdk team tech technology tel temasek tennis teva tf
        : tg th thd theater theatre tiaa tickets tienda tips tires tirol tj tjmaxx tjx tk tkmaxx tl tm tmall tn to
        : today tokyo tools top toray toshiba total tours town toyota toys tr trade trading training travel travelers
        : travelersinsurance trust trv tt tube tui tunes tushu tv tvs tw tz ua ubank ubs ug uk unicom university uno
        : uol ups us uy uz va vacations vana vanguard vc ve vegas ventures verisign versicherung vet vg vi viajes video
        : vig viking villas vin vip virgin visa vision viva vivo vlaanderen vn vodka volvo vote voting voto voyage vu
        : wales walmart walter wang wanggou watch watches weather weatherchannel web webcam weber website wed wedding
        : weibo weir wf whoswho wien wiki williamhill win windows wine winners wme woodside work works world wow ws wtc
        : wtf xbox xerox xihuan xin xn--11b4c3d xn--1ck2e1b xn--1qqw23a xn--2scrj9c xn--30rr7y xn--3bst00m xn--3ds443g
        : xn--3e0b707e xn--3hcrj9c xn--3pxu8k xn--42c2d9a xn--45br5cyl xn--45brj9c xn--45q11c xn--4dbrk0ce xn--4gbrim
        : xn--54b7fta0cc xn--55qw42g xn--55qx5d xn--5su34j936bgsg xn--5tzm5g xn--6frz82g xn--6qq986b3xl xn--80adxhks
        : xn--80ao21a xn--80aqecdr1a xn--80asehdb xn--80aswg xn--8y0a063a xn--90a3ac xn--90ae xn--90ais xn--9dbq2a
        : xn--9et52u xn--9krt00a xn--b4w605ferd xn--bck1b9a5dre4c xn--c1avg xn--c2br7g xn--cck2b3b xn--cckwcxetd
        : xn--cg4bki xn--clchc0ea0b2g2a9gcd xn--czr694b xn--czrs0t xn--czru2d xn--d1acj3b xn--d1alf xn--e1a4c
        : xn--eckvdtc9d xn--efvy88h xn--fct429k xn--fhbei xn--fiq228c5hs xn--fiq64b xn--fiqs8s xn--fiqz9s xn--fjq720a
        : xn--flw351e xn--fpcrj9c3d xn--fzc2c9e2c xn--fzys8d69uvgm xn--g2xx48c xn--gckr3f0f xn--gecrj9c xn--gk3at1e
        : xn--h2breg3eve xn--h2brj9c xn--h2brj9c8c xn--hxt814e xn--i1b6b1a6a2e xn--imr513n xn--io0a7i xn--j1aef
        : xn--j1amh xn--j6w193g xn--jlq480n2rg xn--jvr189m xn--kcrx77d1x4a xn--kprw13d xn--kpry57d xn--kput3i xn--l1acc
        : xn--lgbbat1ad8j xn--mgb2ddes xn--mgb9awbf xn--mgba3a3ejt xn--mgba3a4f16a xn--mgba3a4fra xn--mgba7c0bbn0a
        : xn--mgbaam7a8h xn--mgbab2bd xn--mgbah1a3hjkrd xn--mgbai9a5eva00b xn--mgbai9azgqp6j xn--mgbayh7gpa xn--mgbbh1a
        : xn--mgbbh1a71e xn--mgbc0a9azcg xn--mgbca7dzdo xn--mgbcpq6gpa1a xn--mgberp4a5d4a87g xn--mgberp4a5d4ar
        : xn--mgbgu82a xn--mgbi4ecexp xn--mgbpl2fh xn--mgbqly7c0a67fbc xn--mgbqly7cvafr xn--mgbt3dhd xn--mgbtf8fl
        : xn--mgbtx2b xn--mgbx4cd0ab xn--mix082f xn--mix891f xn--mk1bu44c xn--mxtq1m xn--ngbc5azd xn--ngbe9e0a
        : xn--ngbrx xn--nnx388a xn--node xn--nqv7f xn--nqv7fs00ema xn--nyqy26a xn--o3cw4h xn--ogbpf8fl xn--otu796d
        : xn--p1acf xn--p1ai xn--pgbs0dh xn--pssy2u xn--q7ce6a xn--q9jyb4c xn--qcka1pmc xn--qxa6a xn--qxam xn--rhqv96g
        : xn--rovu88b xn--rvc1e0am3e xn--s9brj9c xn--ses554g xn--t60b56a xn--tckwe xn--tiq49xqyj xn--unup4y
        : xn--vermgensberater-ctb xn--vermgensberatung-pwb xn--vhquv xn--vuq861b xn--w4r85el8fhu5dnra xn--w4rs40l
        : xn--wgbh1c xn--wgbl6a xn--xhq521b xn--xkc2al3hye2a xn--xkc2dl3a5ee0h xn--y9a3aq xn--yfro4i67o xn--ygbi2ammx
        : xn--zfr164b xxx xyz yachts yahoo yamaxun yandex ye yodobashi yoga yokohama you youtube yt yun zappos zara
        : zero zip zm zone zuerich zw aa.no: gs ac: com drr edu feedback forms gov mil net org sch ac.at: sth
        academy: official accesspoint.s3-global.amazonaws.com: mrap addr.tools: dyn adobeaemcloud.com: dev* ae: ac co
        ae: gov mil net org sch ae.flow.ch: alp1 aero: accident-investigation accident-prevention aerobatic aeroclub
        aero: aerodrome agents air-surveillance air-traffic-control aircraft airline airport airtraffic ambulance
        aero: association author ballooning broker caa cargo catering certification championship charter civilaviation
        aero: club conference consultant consulting control council crew design dgca educator emergency engine engineer
        aero: entertainment equipment exchange express federation flight freight fuel gliding government groundhandling
        aero: group hanggliding homebuilt insurance journal journalist leasing logistics magazine maintenance
        aero: marketplace media microlight modelling navigation parachuting paragliding passenger-association pilot
        aero: press production recreation repbody res research rotorcraft safety scientist services show skydiving
        aero: software student taxi trader trading trainer union workinggroup works af: com edu gov net org
        af-south-1.amazonaws.com: emrappui-prod emrnotebooks-prod emrstudio-prod execute-api s3 s3-accesspoint
        af-south-1.amazonaws.com: s3-object-lambda s3-website af-south-1.amazoncognito.com: auth
        af-south-1.on.aws: airflow* lambda-url transfer-webapp af-south-1.sagemaker.aws: notebook studio ag: co com net
        ag: nom obj org ah.no: gs ai: com framer kiloapps net off org uwu aichi.jp: aisai ama anjo asuke chiryu chita
        aichi.jp: fuso gamagori handa hazu hekinan higashiura ichinomiya inazawa inuyama isshiki iwakura kanie kariya
        aichi.jp: kasugai kira kiyosu komaki konan kota mihama miyoshi nishio nisshin obu oguchi oharu okazaki
        aichi.jp: owariasahi seto shikatsu shinshiro shitara tahara takahama tobishima toei togo tokai tokoname toyoake
        aichi.jp: toyohashi toyokawa toyone toyota tsushima yatomi airflow.amazonaws.com: af-south-1* ap-east-1*
        airflow.amazonaws.com: ap-northeast-1* ap-northeast-2* ap-northeast-3* ap-south-1* ap-south-2* ap-southeast-1*
        airflow.amazonaws.com: ap-southeast-2* ap-southeast-3* ap-southeast-4* ap-southeast-5* ap-southeast-7*
        airflow.amazonaws.com: ca-central-1* ca-west-1* eu-central-1* eu-central-2* eu-north-1* eu-south-1* eu-south-2*
        airflow.amazonaws.com: eu-west-1* eu-west-2* eu-west-3* il-central-1* me-central-1* me-south-1* sa-east-1*
        airflow.amazonaws.com: us-east-1* us-east-2* us-west-1* us-west-2* airflow.amazonaws.com.cn: cn-north-1*
        airflow.amazonaws.com.cn: cn-northwest-1* ak.us: cc k12 lib akershus.no: nes akita.jp: akita daisen fujisato
        akita.jp: gojome hachirogata happou higashinaruse honjo honjyo ikawa kamikoani kamioka katagami kazuno
        akita.jp: kitaakita kosaka kyowa misato mitane moriyoshi nikaho noshiro odate oga ogata semboku yokote
        akita.jp: yurihonjo al: com edu gov mil net org al.us: cc k12 lib am: co com commune net org radio
        amazonaws.com: compute* compute-1* elb* s3 s3-1 s3-ap-east-1 s3-ap-northeast-1 s3-ap-northeast-2
        amazonaws.com: s3-ap-northeast-3 s3-ap-south-1 s3-ap-southeast-1 s3-ap-southeast-2 s3-ca-central-1
        amazonaws.com: s3-eu-central-1 s3-eu-north-1 s3-eu-west-1 s3-eu-west-2 s3-eu-west-3 s3-external-1
        amazonaws.com: s3-fips-us-gov-east-1 s3-fips-us-gov-west-1 s3-me-south-1 s3-sa-east-1 s3-us-east-2
        amazonaws.com: s3-us-gov-east-1 s3-us-gov-west-1 s3-us-west-1 s3-us-west-2 s3-website-ap-northeast-1
        amazonaws.com: s3-website-ap-southeast-1 s3-website-ap-southeast-2 s3-website-eu-west-1 s3-website-sa-east-1
        amazonaws.com: s3-website-us-east-1 s3-website-us-gov-west-1 s3-website-us-west-1 s3-website-us-west-2
        amazonaws.com: us-east-1 amazonaws.com.cn: compute* elb* ao: co ed edu gov gv it og org pb aomori.jp: aomori
        aomori.jp: gonohe hachinohe hashikami hiranai hirosaki itayanagi kuroishi misawa mutsu nakadomari noheji oirase
        aomori.jp: owani rokunohe sannohe shichinohe shingo takko towada tsugaru tsuruta
        ap-east-1.amazonaws.com: emrappui-prod emrnotebooks-prod emrstudio-prod execute-api s3 s3-accesspoint
        ap-east-1.amazonaws.com: s3-object-lambda s3-website ap-east-1.amazoncognito.com: auth
        ap-east-1.on.aws: airflow* lambda-url transfer-webapp ap-east-1.sagemaker.aws: notebook studio
        ap-northeast-1.amazonaws.com: analytics-gateway emrappui-prod emrnotebooks-prod emrstudio-prod execute-api s3
        ap-northeast-1.amazonaws.com: s3-accesspoint s3-object-lambda s3-website ap-northeast-1.amazoncognito.com: auth
        ap-northeast-1.on.aws: airflow* lambda-url transfer-webapp ap-northeast-1.sagemaker.aws: labeling notebook
        ap-northeast-1.sagemaker.aws: studio ap-northeast-2.amazonaws.com: analytics-gateway emrappui-prod
        ap-northeast-2.amazonaws.com: emrnotebooks-prod emrstudio-prod execute-api s3 s3-accesspoint s3-object-lambda
        ap-northeast-2.amazonaws.com: s3-website ap-northeast-2.amazoncognito.com: auth ap-northeast-2.on.aws: airflow*
        ap-northeast-2.on.aws: lambda-url transfer-webapp ap-northeast-2.sagemaker.aws: labeling notebook studio
        ap-northeast-3.amazonaws.com: emrappui-prod emrnotebooks-prod emrstudio-prod execute-api s3 s3-accesspoint
        ap-northeast-3.amazonaws.com: s3-object-lambda s3-website ap-northeast-3.amazoncognito.com: auth
        ap-northeast-3.on.aws: airflow* lambda-url transfer-webapp ap-northeast-3.sagemaker.aws: notebook studio
        ap-south-1.amazonaws.com: analytics-gateway emrappui-prod emrnotebooks-prod emrstudio-prod execute-api s3
        ap-south-1.amazonaws.com: s3-accesspoint s3-object-lambda s3-website ap-south-1.amazoncognito.com: auth
        ap-south-1.on.aws: airflow* lambda-url transfer-webapp ap-south-1.sagemaker.aws: labeling notebook studio
        ap-south-2.amazonaws.com: emrappui-prod emrnotebooks-prod emrstudio-prod execute-api s3 s3-accesspoint
        ap-south-2.amazonaws.com: s3-object-lambda s3-website ap-south-2.amazoncognito.com: auth
        ap-south-2.on.aws: airflow* transfer-webapp ap-south-2.sagemaker.aws: notebook
        ap-southeast-1.amazonaws.com: analytics-gateway emrappui-prod emrnotebooks-prod emrstudio-prod execute-api s3
        ap-southeast-1.amazonaws.com: s3-accesspoint s3-object-lambda s3-website ap-southeast-1.amazoncognito.com: auth
        ap-southeast-1.on.aws: airflow* lambda-url transfer-webapp ap-southeast-1.sagemaker.aws: labeling notebook
        ap-southeast-1.sagemaker.aws: studio ap-southeast-2.amazonaws.com: analytics-gateway emrappui-prod
        ap-southeast-2.amazonaws.com: emrnotebooks-prod emrstudio-prod execute-api s3 s3-accesspoint s3-object-lambda
        ap-southeast-2.amazonaws.com: s3-website ap-southeast-2.amazoncognito.com: auth ap-southeast-2.on.aws: airflow*
        ap-southeast-2.on.aws: lambda-url transfer-webapp ap-southeast-2.sagemaker.aws: labeling notebook studio
        ap-southeast-3.amazonaws.com: emrappui-prod emrnotebooks-prod emrstudio-prod execute-api s3 s3-accesspoint
        ap-southeast-3.amazonaws.com: s3-object-lambda s3-website ap-southeast-3.amazoncognito.com: auth
        ap-southeast-3.on.aws: airflow* lambda-url transfer-webapp ap-southeast-3.sagemaker.aws: notebook studio
        ap-southeast-4.amazonaws.com: emrappui-prod emrnotebooks-prod emrstudio-prod execute-api s3 s3-accesspoint
        ap-southeast-4.amazonaws.com: s3-object-lambda s3-website ap-southeast-4.amazoncognito.com: auth
        ap-southeast-4.on.aws: airflow* transfer-webapp ap-southeast-4.sagemaker.aws: notebook
        ap-southeast-5.amazonaws.com: execute-api s3 s3-accesspoint s3-deprecated s3-object-lambda s3-website
        ap-southeast-5.amazoncognito.com: auth ap-southeast-5.on.aws: airflow* transfer-webapp
        ap-southeast-7.amazoncognito.com: auth ap-southeast-7.on.aws: transfer-webapp app: aiven base44 beget* botdash
        app: brave claude clerk clerkstage cloudflare codepen convex corespeed csb developer* e2b easypanel edgecompute
        app: encr expo flutterflow framer gadget github hackclub hasura hosted* leapcell loginline lovable luyani
        app: magicpatterns medusajs messerli miren mocha netlify ngrok ngrok-free noop northflank* nyat on-fleek
        app: ondigitalocean onhercules pplx puter replit run* shiptoday snowflake* spawnbase sprites streamlit telebit
        app: typedream upsun* vercel wal wasmer web windsurf wnext zeabur zerops* apple: int appspot.com: r* ar: bet
        ar: com coop edu gob gov int mil musica mutual net org seg senasa tur ar.us: cc k12 lib arpa: e164 home in-addr
        arpa: ip6 iris uri urn as: gov as.us: cc k12 lib aseinet.ne.jp: user asia: cloudns daemon dix at: 123webseite
        at: 12hp 2ix 4 4lima ac co dnshome futurecms* futurehosting futuremailing gv lima-city my myspreadshop or priv
        au: act asn com conf edu gov id net nsw nt org oz qld sa tas vic wa aw: com
        aws-cloud9.af-south-1.amazonaws.com: webview-assets aws-cloud9.ap-east-1.amazonaws.com: webview-assets
        aws-cloud9.ap-northeast-1.amazonaws.com: webview-assets aws-cloud9.ap-northeast-2.amazonaws.com: webview-assets
        aws-cloud9.ap-northeast-3.amazonaws.com: webview-assets aws-cloud9.ap-south-1.amazonaws.com: webview-assets
        aws-cloud9.ap-southeast-1.amazonaws.com: webview-assets aws-cloud9.ap-southeast-2.amazonaws.com: webview-assets
        aws-cloud9.ca-central-1.amazonaws.com: webview-assets aws-cloud9.eu-central-1.amazonaws.com: webview-assets
        aws-cloud9.eu-north-1.amazonaws.com: webview-assets aws-cloud9.eu-south-1.amazonaws.com: webview-assets
        aws-cloud9.eu-west-1.amazonaws.com: webview-assets aws-cloud9.eu-west-2.amazonaws.com: webview-assets
        aws-cloud9.eu-west-3.amazonaws.com: webview-assets aws-cloud9.il-central-1.amazonaws.com: webview-assets
        aws-cloud9.me-south-1.amazonaws.com: webview-assets aws-cloud9.sa-east-1.amazonaws.com: webview-assets
        aws-cloud9.us-east-1.amazonaws.com: webview-assets aws-cloud9.us-east-2.amazonaws.com: webview-assets
        aws-cloud9.us-west-1.amazonaws.com: webview-assets aws-cloud9.us-west-2.amazonaws.com: webview-assets
        axarnet.cloud: es-1 az: biz co com edu gov info int mil name net org pp pro az.us: cc k12 lib
        azurestaticapps.net: 1 2 3 4 5 6 7 centralus eastasia eastus2 westeurope westus2 ba: com edu gov mil net org rs
        bar: resolve baremetal.scw.cloud: fr-par-1 fr-par-2 nl-ams-1 basketball: aus nz bb: biz co com edu gov info net
        bb: org store tv bd: ac ai co com edu gov id info it mil net org sch tv be: 123website ac cloudns my
        be: myspreadshop transurl* webhosting beebyte.io: paas beebyteapp.io: sekd1 berlin: ddns bf: gov bg: 0 1 2 3 4
        bg: 5 6 7 8 9 a b barsy c d e f g h i j k l m n o p q r s t u v w x y z bh: com edu gov net org bi: co com edu
        bi: or org biz: activetrail cloud-ip cloudns dscloud dyndns for-better for-more for-some for-the jozi mmafan
        biz: myftp no-ip orx selfip webhop biz.ng: co dl go lg on bj: africa agro architectes assur avocats co com eco
        bj: econo edu info loisirs money net org ote restaurant resto tourism univ bm: com edu gov net org bn: co com
        bn: edu gov net org bo: academia agro arte blog bolivia ciencia com cooperativa democracia deporte ecologia
        bo: economia edu empresa gob indigena industria info int medicina mil movimiento musica natural net nombre
        bo: noticias org patria plurinacional politica profesional pueblo revista salud tecnologia tksat transporte tv
        bo: web wiki br: 9guacu abc adm adv agr aju am anani aparecida api app arq art ato b barueri belem bet bhz bib
        br: bio blog bmd boavista bsb campinagrande campinas caxias cim cng cnt com contagem coop coz cri cuiaba
        br: curitiba def des det dev ecn eco edu emp enf eng esp etc eti far feira flog floripa fm fnd fortal fot foz
        br: fst g12 geo ggf goiania gov gru ia imb ind inf jab jampa jdf joinville jor jus leg leilao lel log londrina
        br: macapa maceio manaus maringa mat med mil morena mp mus natal net niteroi nom* not ntr odo ong org osasco
        br: palmas poa ppg pro psc psi pvh qsl radio rec recife rep ribeirao rio riobranco riopreto salvador sampa
        br: santamaria santoandre saobernardo saogonca seg sjc slg slz social sorocaba srv taxi tc tche tec teo the tmp
        br: trd tur tv udi vet vix vlog wiki xyz zlg brave.app: s* brave.dev: s* brave.io: s* brendly.ba: shop
        brendly.hr: shop brendly.rs: shop bs: com edu gov net org we bt: com edu gov net org bu.no: gs bubble.io: cdn
        build: shiptoday v0 windsurf builders: cloudsite business: co buskerud.no: nes bw: ac co gov net org by: com
        by: gov mediatech mil of bz: co com edu gov gsj mydns net org za ca: ab awdev* barsy bc box co gc mb
        ca: myspreadshop nb nf nl no-ip ns nt nu on onid pe qc sk yk ca-central-1.amazonaws.com: emrappui-prod
        ca-central-1.amazonaws.com: emrnotebooks-prod emrstudio-prod execute-api s3 s3-accesspoint s3-accesspoint-fips
        ca-central-1.amazonaws.com: s3-fips s3-object-lambda s3-website ca-central-1.amazoncognito.com: auth
        ca-central-1.on.aws: airflow* lambda-url transfer-webapp ca-central-1.sagemaker.aws: labeling notebook
        ca-central-1.sagemaker.aws: notebook-fips studio ca-west-1.amazonaws.com: emrappui-prod emrnotebooks-prod
        ca-west-1.amazonaws.com: emrstudio-prod execute-api s3 s3-accesspoint s3-accesspoint-fips s3-fips
        ca-west-1.amazonaws.com: s3-object-lambda s3-website ca-west-1.amazoncognito.com: auth
        ca-west-1.on.aws: airflow* transfer-webapp ca-west-1.sagemaker.aws: notebook notebook-fips ca.us: cc k12 lib
        canva.site: my canvasite.cn: my case: sav cc: ccwu cleverapps cloud-ip cloudns csx ec eu fantasyleague
        cc: ftpaccess game-server gu myphotos scrapping sryze twmail uk us cd: cc gov cdn77.net: r cdn77.org: c rsc
        ch: 123website 12hp 2ix 4lima cloudns dnsking firenet* gotdns lima-city linkyard-cloud myspreadshop square7
        channelsdvr.net: u chiba.jp: abiko asahi chonan chosei choshi chuo funabashi futtsu hanamigawa ichihara
        chiba.jp: ichikawa ichinomiya inzai isumi kamagaya kamogawa kashiwa katori katsuura kimitsu kisarazu kozaki
        chiba.jp: kujukuri kyonan matsudo midori mihama minamiboso mobara mutsuzawa nagara nagareyama narashino narita
        chiba.jp: noda oamishirasato omigawa onjuku otaki sakae sakura shimofusa shirako shiroi shisui sodegaura sosa
        chiba.jp: tako tateyama togane tohnosho tomisato urayasu yachimata yachiyo yokaichiba yokoshibahikari
        chiba.jp: yotsukaido ci: ac asso co com ed edu go gouv int net or org us xn--aroport-bya ck: www! cl: cloudns
        cl: co gob gov mil claudeusercontent.com: frame cldmail.ru: hb clever-cloud.com: services* cloud: antagonist
        cloud: begetcdn* convex diadem dnshome elementor emergent hstgr jele jote jotelulu keliweb kuleuven laravel
        cloud: linkyard magentosite* matlab observablehq on-rancher* online-server oxa perspecta primetel ravendb
        cloud: servebolt statics* trafficplex unison-services urown vapor voorloper zap cloud.int.apple: r*
        cloud.muni.cz: flt usr cloud.nospamproxy.com: o365 cloud9.af-south-1.amazonaws.com: vfs webview-assets
        cloud9.ap-east-1.amazonaws.com: vfs webview-assets cloud9.ap-northeast-1.amazonaws.com: vfs webview-assets
        cloud9.ap-northeast-2.amazonaws.com: vfs webview-assets cloud9.ap-northeast-3.amazonaws.com: vfs webview-assets
        cloud9.ap-south-1.amazonaws.com: vfs webview-assets cloud9.ap-southeast-1.amazonaws.com: vfs webview-assets
        cloud9.ap-southeast-2.amazonaws.com: vfs webview-assets cloud9.ca-central-1.amazonaws.com: vfs webview-assets
        cloud9.eu-central-1.amazonaws.com: vfs webview-assets cloud9.eu-north-1.amazonaws.com: vfs webview-assets
        cloud9.eu-south-1.amazonaws.com: vfs webview-assets cloud9.eu-west-1.amazonaws.com: vfs webview-assets
        cloud9.eu-west-2.amazonaws.com: vfs webview-assets cloud9.eu-west-3.amazonaws.com: vfs webview-assets
        cloud9.il-central-1.amazonaws.com: vfs cloud9.me-south-1.amazonaws.com: vfs webview-assets
        cloud9.sa-east-1.amazonaws.com: vfs webview-assets cloud9.us-east-1.amazonaws.com: vfs webview-assets
        cloud9.us-east-2.amazonaws.com: vfs webview-assets cloud9.us-west-1.amazonaws.com: vfs webview-assets
        cloud9.us-west-2.amazonaws.com: vfs webview-assets cloudflare.net: cdn cloudflareanycast.net: cdn
        cloudflarecn.net: cdn cloudflareglobal.net: cdn cloudjiffy.net: fra1-de west1-us cloudlets.com.au: mel
        cloudplatform.fi: fi cloudscale.ch: cust club: barsy cloudns jele cm: co com gov net cn: ac ah bj canva-apps
        cn: com cq edu fj gd gov gs gx gz ha hb he hi hk hl hn jl js jx khsj ln mil mo myqnapcloud net nm nx org qh sc
        cn: sd sh sn sx tj tw xj xn--55qx5d xn--io0a7i xn--od0alg xz yn zj cn-north-1.amazonaws.com.cn: emrappui-prod
        cn-north-1.amazonaws.com.cn: emrnotebooks-prod emrstudio-prod execute-api rds* s3 s3-accesspoint s3-deprecated
        cn-north-1.amazonaws.com.cn: s3-object-lambda s3-website cn-north-1.on.amazonwebservices.com.cn: airflow*
        cn-north-1.on.amazonwebservices.com.cn: transfer-webapp cn-north-1.sagemaker.com.cn: notebook studio
        cn-northwest-1.amazonaws.com.cn: emrappui-prod emrnotebooks-prod emrstudio-prod execute-api rds* s3
        cn-northwest-1.amazonaws.com.cn: s3-accesspoint s3-object-lambda s3-website
        cn-northwest-1.on.amazonwebservices.com.cn: airflow* transfer-webapp cn-northwest-1.sagemaker.com.cn: notebook
        cn-northwest-1.sagemaker.com.cn: studio co: carrd com crd edu firewalledreplit gov hidns leadpages lpages mil
        co: mypi net nom org otap* repl supabase umso xmit* co.il: mytabit ravpage tabitorder co.im: ltd plc
        co.uk: adimo barsy barsyonline myspreadshop nh-serv no-ip co.us: cc k12 lib code.com: builder* dev-builder*
        code.com: stg-builder* codes: owo* cognito-idp.eusc-de-east-1.on.amazonwebservices.eu: auth com: 0emm* 180r
        com: 1cooldns 1kapp 3utilities 4u a2hosted abrdns adobeaemcloud africa aivencloud* aliases121 alibabacloudcs
        com: alpha-myqnapcloud amplifyapp appchizi applinzi apps-1and1 appspacehosted appspaceusercontent appspot
        com: atlassian-3p* atlassian-3p-us-gov-mod* atlassian-isolated-3p* atmeta auiusercontent* authgear-staging
        com: authgearapps awsapprunner* awsapps awsglobalaccelerator balena-devices barsycenter barsyonline
        com: base44-sandbox blogdns blogspot blogsyte boutir bplaced br builtwithdark bumbleshrimp cafjs canva-apps
        com: canva-hosted-embed canvacode cdn77-storage cechire cf-ipfs ciscofreak claudeusercontent cloudflare-ipfs cn
        com: co codespot cprapid cpserver cursorusercontent* customer-oci* damnserver dattolocal dattorelay dattoweb
        com: ddnsfree ddnsgeek ddnsguru ddnsking de deployagent deus-canvas dev-myqnapcloud devinapps*
        com: digitaloceanspaces* discordsays discordsez ditchyourip dnsabr dnsalias dnsdojo dnsiskinky doesntexist
        com: dojin dontexist doomdns dopaas drayddns dreamhosters drive-platform dsmynas durumis dyn-o-saur dynalias
        com: dyndns-at-home dyndns-at-work dyndns-blog dyndns-free dyndns-home dyndns-ip dyndns-mail dyndns-office
        com: dyndns-pics dyndns-remote dyndns-server dyndns-web dyndns-wiki dyndns-work dynns dynuddns dynuhosting
        com: elasticbeanstalk encoreapi est-a-la-maison est-a-la-masion est-le-patron est-mon-blogueur eu eu1-plenit
        com: familyds fastly-edge fastly-terrarium fastvps-server firebaseapp firewall-gateway fldrv forgeblocks
        com: framercanvas freebox-os freeboxos freemyip from-ak from-al from-ar from-ca from-ct from-dc from-de from-fl
        com: from-ga from-hi from-ia from-id from-il from-in from-ks from-ky from-ma from-md from-mi from-mn from-mo
        com: from-ms from-mt from-nc from-nd from-ne from-nh from-nj from-nm from-nv from-oh from-ok from-or from-pa
        com: from-pr from-ri from-sc from-sd from-tn from-tx from-ut from-va from-vt from-wa from-wi from-wv from-wy
        com: geekgalaxy gentapps gentlentapis getmyip giize githubusercontent gleeze googleapis googlecode gotdns
        com: gotpantheon gr grayjayleagues hatenablog hatenadiary health-carereform hercules-app hercules-dev herokuapp
        com: hk hobby-site homelinux homesecuritymac homesecuritypc homeunix hostedpi hotelwithflight iamallama ip-ddns
        com: is-a-anarchist is-a-blogger is-a-bookkeeper is-a-bulls-fan is-a-caterer is-a-chef is-a-conservative
        com: is-a-cpa is-a-cubicle-slave is-a-democrat is-a-designer is-a-doctor is-a-financialadvisor is-a-geek
        com: is-a-green is-a-guru is-a-hard-worker is-a-hunter is-a-landscaper is-a-lawyer is-a-liberal
        com: is-a-libertarian is-a-llama is-a-musician is-a-nascarfan is-a-nurse is-a-painter is-a-personaltrainer
        com: is-a-photographer is-a-player is-a-republican is-a-rockstar is-a-socialist is-a-student is-a-teacher
        com: is-a-techie is-a-therapist is-an-accountant is-an-actor is-an-actress is-an-anarchist is-an-artist
        com: is-an-engineer is-an-entertainer is-certified is-gone is-into-anime is-into-cars is-into-cartoons
        com: is-into-games is-leet is-not-certified is-slick is-uberleet is-with-theband isa-geek isa-hockeynut
        com: issmarterthanyou it jdevcloud jpn kasserver kozow la1-plenit ladesk likes-pie likescandy linodeobjects*
        com: live-website localtonet logoip loseyourip lovableproject lpusercontent lutrausercontent* magicpatternsapp
        com: messwithdns metaaiusercontent* meteorapp mex miniserver mochausercontent modelscape mwcloudnonprod
        com: myactivedirectory myasustor mycloudnas mydatto mydbserver mydobiss myiphost mynascloud myqnapcloud
        com: mysecuritycamera myshopblocks myshopify myspreadshop mytabit mytuleap myvnc neat-url net-freaks nfshost
        com: oaiusercontent* on-aptible on-forge on-vapor onrender onthewifi ooguy operaunite oraclecloudapps*
        com: oraclegovcloudapps* orsites outsystemscloud ownprovider pagespeedmobilizer paywhirl* pgfog pivohosting
        com: pixolino playstation-cloud pleskns point2this polyspace postman-echo pythonanywhere qa2 qbuser qualifioapp
        com: qualyhqpartner* qualyhqportal* quicksytes quipelements* rackmaze readthedocs-hosted remotewd reservd
        com: rhcloud rice-labs routingthecloud ru sa sakuratan sakuraweb same-app same-preview saves-the-whales scrysec
        com: securitytactics selfip sells-for-less sells-for-u servebbs servebeer servecounterstrike serveexchange
        com: serveftp servegame servehalflife servehttp servehumour serveirc servemp3 servep2p servepics servequake
        com: servesarcasm shopitsite siiites simple-url simplesite sinaapp smushcdn space-to-rent stackhero-network
        com: strapiapp streak-link streaklinks streakusercontent streamlitapp stufftoread subsc-pay taveusercontent
        com: teaches-yoga temp-dns theworkpc thingdustdata townnews-staging try-snowplow trycloudflare tuleap-partners
        com: uk unusualperson upsunapp us us1-plenit vipsinaapp vivenushop vultrobjects* w-corp-staticblitz
        com: w-credentialless-staticblitz w-staticblitz wafflecell webadorsite webspace-host wiredbladehosting
        com: withgoogle withyoutube wixsite wixstudio woltlab-demo workisboring wpdevcloud wpenginepowered wphostedmail
        com: wpmucdn writesthisblog x0 xnbay xtooldevice yolasite za com.au: myspreadshop com.br: simplesite
        com.tw: mymailer community: myforum nog ravendb company: mybox contentproxy9.cz: rsc convex.cloud: eu-west-1
        convex.cloud: us-east-1 convex.site: eu-west-1 us-east-1 cool: de elementor core.usgovcloudapi.net: blob file
        core.usgovcloudapi.net: web core.windows.net: blob file web cosidns.de: dyn cr: ac co ed fi go or sa
        crm.dev: aa* ab* ac* ad* ae* af* ci* d* pa* pb* pc* pd* pe* pf* w* wa* wb* wc* wd* we* wf* csb.app: preview
        ct.us: cc k12 lib cu: com edu gob inf nat net org customer-oci.com: oci* ocp* ocs* cv: com dev edu id int net
        cv: nome org publ store cw: com edu net org cx: assessments ath calculators cloudns funnels gov info paynow
        cx: quizzes researched tests cy: ac biz com ekloges gov ltd mil net org press pro tm cz: co e4 gov realm
        dappnode.io: dyndns datacenter.fi: demo paas datadetect.com: demo instance dc.us: cc k12 lib ddnss.de: dyn
        ddnss.de: dyndns de: 123webseite 12hp 2ix 4lima barsy bplaced bwcloud-os-instance* co com community-pro ddnss
        de: ddnssec diskussionsbereich dnshome dnsupdater dyn-berlin dyn-ip24 dynamisches-dns dyndns1 dyndnssec
        de: firewall-gateway frusky* fuettertdasnetz git-repos goip heimdns home-webserver home64 in-berlin in-brb
        de: in-butter in-dsl in-vpn internet-dns ipv64 iservschule isteingeek istmein keymachine l-o-g-i-n lcube-server
        de: lebtimnetz leitungsen lima-city logoip mein-iserv my my-gateway my-router myhome-server myspreadshop rub
        de: ruhr-uni-bochum schuldock schulplattform schulserver spdns square7 srvdns svn-repos taifun-dns test-iserv
        de: traeumtgerade virtual-user virtualuser webspaceconfig xenonconnect* xn--gnstigbestellen-zvb
        de: xn--gnstigliefern-wob de.us: cc deno.net: sandbox design: bss graphic dev: barsy bearblog botdash brave
        dev: codepen deno deno-staging erp fly gateway* githubpreview grebedoc hrsn inbrowser* is-a is-a-fullstack
        dev: is-a-good is-cool is-not-a iserv lcl* lclstage* leapcell localplayer loginline lp mediatech mocha-sandbox
        dev: modx myaddr ngrok ngrok-free pages panel payload platter-app r2 replit runcontainers stg* stgstage* vercel
        dev: vivenushop webhare* workers xmit dev.thingdust.io: cust reservd direct: libp2p disrec.thingdust.io: cust
        disrec.thingdust.io: reservd diy: discourse imagine dk: 123hjemmeside biz co firm myspreadshop reg store dm: co
        dm: com edu gov net org do: art com edu gob gov mil net org sld web dogado.eu: jelastic
        dualstack.af-south-1.amazonaws.com: s3 s3-accesspoint s3-website dualstack.ap-east-1.amazonaws.com: s3
        dualstack.ap-east-1.amazonaws.com: s3-accesspoint dualstack.ap-northeast-1.amazonaws.com: s3 s3-accesspoint
        dualstack.ap-northeast-1.amazonaws.com: s3-website dualstack.ap-northeast-2.amazonaws.com: s3 s3-accesspoint
        dualstack.ap-northeast-2.amazonaws.com: s3-website dualstack.ap-northeast-3.amazonaws.com: s3 s3-accesspoint
        dualstack.ap-northeast-3.amazonaws.com: s3-website dualstack.ap-south-1.amazonaws.com: s3 s3-accesspoint
        dualstack.ap-south-1.amazonaws.com: s3-website dualstack.ap-south-2.amazonaws.com: s3 s3-accesspoint s3-website
        dualstack.ap-southeast-1.amazonaws.com: s3 s3-accesspoint s3-website dualstack.ap-southeast-2.amazonaws.com: s3
        dualstack.ap-southeast-2.amazonaws.com: s3-accesspoint s3-website dualstack.ap-southeast-3.amazonaws.com: s3
        dualstack.ap-southeast-3.amazonaws.com: s3-accesspoint s3-website dualstack.ap-southeast-4.amazonaws.com: s3
        dualstack.ap-southeast-4.amazonaws.com: s3-accesspoint s3-website dualstack.ap-southeast-5.amazonaws.com: s3
        dualstack.ap-southeast-5.amazonaws.com: s3-accesspoint s3-website dualstack.ca-central-1.amazonaws.com: s3
        dualstack.ca-central-1.amazonaws.com: s3-accesspoint s3-accesspoint-fips s3-fips s3-website
        dualstack.ca-west-1.amazonaws.com: s3 s3-accesspoint s3-accesspoint-fips s3-fips s3-website
        dualstack.cn-north-1.amazonaws.com.cn: s3 s3-accesspoint s3-website
        dualstack.cn-northwest-1.amazonaws.com.cn: s3 s3-accesspoint dualstack.eu-central-1.amazonaws.com: s3
        dualstack.eu-central-1.amazonaws.com: s3-accesspoint s3-website dualstack.eu-central-2.amazonaws.com: s3
        dualstack.eu-central-2.amazonaws.com: s3-accesspoint s3-website dualstack.eu-north-1.amazonaws.com: s3
        dualstack.eu-north-1.amazonaws.com: s3-accesspoint dualstack.eu-south-1.amazonaws.com: s3 s3-accesspoint
        dualstack.eu-south-1.amazonaws.com: s3-website dualstack.eu-south-2.amazonaws.com: s3 s3-accesspoint s3-website
        dualstack.eu-west-1.amazonaws.com: s3 s3-accesspoint s3-website dualstack.eu-west-2.amazonaws.com: s3
        dualstack.eu-west-2.amazonaws.com: s3-accesspoint dualstack.eu-west-3.amazonaws.com: s3 s3-accesspoint
        dualstack.eu-west-3.amazonaws.com: s3-website dualstack.il-central-1.amazonaws.com: s3 s3-accesspoint
        dualstack.il-central-1.amazonaws.com: s3-website dualstack.me-central-1.amazonaws.com: s3 s3-accesspoint
        dualstack.me-central-1.amazonaws.com: s3-website dualstack.me-south-1.amazonaws.com: s3 s3-accesspoint
        dualstack.sa-east-1.amazonaws.com: s3 s3-accesspoint s3-website dualstack.us-east-1.amazonaws.com: s3
        dualstack.us-east-1.amazonaws.com: s3-accesspoint s3-accesspoint-fips s3-fips s3-website
        dualstack.us-east-2.amazonaws.com: s3 s3-accesspoint s3-accesspoint-fips s3-fips s3-website
        dualstack.us-gov-east-1.amazonaws.com: s3 s3-accesspoint s3-accesspoint-fips s3-fips s3-website
        dualstack.us-gov-west-1.amazonaws.com: s3 s3-accesspoint s3-accesspoint-fips s3-fips s3-website
        dualstack.us-west-1.amazonaws.com: s3 s3-accesspoint s3-accesspoint-fips s3-fips s3-website
        dualstack.us-west-2.amazonaws.com: s3 s3-accesspoint s3-accesspoint-fips s3-fips s3-website dyndns.org: go home
        dz: art asso com edu gov net org pol soc tm eb.amazonaws.com.cn: cn-north-1 cn-northwest-1 ec: abg adm agron
        ec: arqt art bar base chef com cont cpa cue dent dgn disco doc edu eng esm fin fot gal gob gov gye ibr info k12
        ec: lat loj med mil mktg mon net ntr odont official org pro prof psic psiq pub rio rrpp sal tech tul tur uio
        ec: vet xxx edu.au: act catholic nsw nt qld sa tas vic wa education: co ee: aip com edu fie gov lib med org pri
        ee: riik eg: ac com edu eun gov info me mil name net org sci sport tv ehime.jp: ainan honai ikata imabari iyo
        ehime.jp: kamijima kihoku kumakogen masaki matsuno matsuyama namikata niihama ozu saijo seiyo shikokuchuo tobe
        ehime.jp: toon uchiko uwajima yawatahama elasticbeanstalk.com: af-south-1 ap-east-1 ap-northeast-1
        elasticbeanstalk.com: ap-northeast-2 ap-northeast-3 ap-south-1 ap-southeast-1 ap-southeast-2 ap-southeast-3
        elasticbeanstalk.com: ap-southeast-5 ap-southeast-7 ca-central-1 eu-central-1 eu-north-1 eu-south-1 eu-south-2
        elasticbeanstalk.com: eu-west-1 eu-west-2 eu-west-3 il-central-1 me-central-1 me-south-1 sa-east-1 us-east-1
        elasticbeanstalk.com: us-east-2 us-gov-east-1 us-gov-west-1 us-west-1 us-west-2 elastx.net: jls-sto1 jls-sto2
        elastx.net: jls-sto3 email: intouch emergentagent.com: preview emf.camp: at encoway.cloud: eu
        encr.app: frontend enscaled.us: phx erp.dev: web es: 123miweb com edu gob myspreadshop nom org estate: compute*
        et: biz com edu gov info name net org eu: barsy cloudns deuxfleurs directwp dnshome nxa* prvw spdns transurl*
        eu-central-1.amazonaws.com: analytics-gateway emrappui-prod emrnotebooks-prod emrstudio-prod execute-api s3
        eu-central-1.amazonaws.com: s3-accesspoint s3-object-lambda s3-website eu-central-1.amazoncognito.com: auth
        eu-central-1.on.aws: airflow* lambda-url transfer-webapp eu-central-1.sagemaker.aws: labeling notebook studio
        eu-central-2.amazonaws.com: emrappui-prod emrnotebooks-prod emrstudio-prod execute-api s3 s3-accesspoint
        eu-central-2.amazonaws.com: s3-object-lambda s3-website eu-central-2.amazoncognito.com: auth
        eu-central-2.on.aws: airflow* transfer-webapp eu-central-2.sagemaker.aws: notebook studio
        eu-north-1.amazonaws.com: emrappui-prod emrnotebooks-prod emrstudio-prod execute-api s3 s3-accesspoint
        eu-north-1.amazonaws.com: s3-object-lambda s3-website eu-north-1.amazoncognito.com: auth
        eu-north-1.on.aws: airflow* lambda-url transfer-webapp eu-north-1.sagemaker.aws: notebook studio
        eu-south-1.amazonaws.com: emrappui-prod emrnotebooks-prod emrstudio-prod execute-api s3 s3-accesspoint
        eu-south-1.amazonaws.com: s3-object-lambda s3-website eu-south-1.amazoncognito.com: auth
        eu-south-1.on.aws: airflow* lambda-url transfer-webapp eu-south-1.sagemaker.aws: notebook studio
        eu-south-2.amazonaws.com: emrappui-prod emrnotebooks-prod emrstudio-prod execute-api s3 s3-accesspoint
        eu-south-2.amazonaws.com: s3-object-lambda s3-website eu-south-2.amazoncognito.com: auth
        eu-south-2.on.aws: airflow* transfer-webapp eu-south-2.sagemaker.aws: notebook studio
        eu-west-1.amazonaws.com: analytics-gateway emrappui-prod emrnotebooks-prod emrstudio-prod execute-api s3
        eu-west-1.amazonaws.com: s3-accesspoint s3-deprecated s3-object-lambda s3-website
        eu-west-1.amazoncognito.com: auth eu-west-1.on.aws: airflow* lambda-url transfer-webapp
        eu-west-1.sagemaker.aws: labeling notebook studio eu-west-2.amazonaws.com: emrappui-prod emrnotebooks-prod
        eu-west-2.amazonaws.com: emrstudio-prod execute-api s3 s3-accesspoint s3-object-lambda s3-website
        eu-west-2.amazoncognito.com: auth eu-west-2.on.aws: airflow* lambda-url transfer-webapp
        eu-west-2.sagemaker.aws: labeling notebook studio eu-west-3.amazonaws.com: emrappui-prod emrnotebooks-prod
        eu-west-3.amazonaws.com: emrstudio-prod execute-api s3 s3-accesspoint s3-object-lambda s3-website
        eu-west-3.amazoncognito.com: auth eu-west-3.on.aws: airflow* lambda-url transfer-webapp
        eu-west-3.sagemaker.aws: notebook studio eu.org: al asso at au be bg ca cd ch cn cy cz de dk edu ee es fi fr gr
        eu.org: hr hu ie il in int is it jp kr lt lu lv me mk mt my net ng nl no nz pl pt ro ru se si sk tr uk us
        eur.aruba.jenv-aruba.cloud: it1 evennode.com: eu-1 eu-2 eu-3 eu-4 us-1 us-2 us-3 us-4 events: co koobin
        evervault.app: relay evervault.dev: relay expo.app: on staging fan: mkm fastly.net: freetls map
        fastlylb.net: map fbsbx.com: apps fedoraproject.org: cloud fi: 123kotisivu aland dy iki kapsi myspreadshop
        fi: xn--hkkinen-5wa financial: co firenet.ch: svc* firewalledreplit.co: id fj: ac biz com edu gov id info mil
        fj: name net org pro fl.us: cc k12 lib flow.ch: appengine fm: com edu net org radio user* fm.no: gs
        fnc.fr-par.scw.cloud: functions forgerock.io: id fr: 123siteweb aeroport asso avocat avoues cci chambagri
        fr: chirurgiens-dentistes chirurgiens-dentistes-en-france com dedibox experts-comptables fbx-os fbxos
        fr: freebox-os freeboxos goupile gouv greta huissier-justice kdns medecin myspreadshop nom notaires on-web
        fr: pharmacien port prd tm veterinaire ynh fr-par.scw.cloud: cockpit ddl dtwh fnc ifr k8s kafk mgdb rdb s3
        fr-par.scw.cloud: s3-website scbl whm fukui.jp: echizen eiheiji fukui ikeda katsuyama mihama minamiechizen
        fukui.jp: obama ohi ono sabae sakai takahama tsuruga wakasa fukuoka.jp: ashiya buzen chikugo chikuho chikujo
        fukuoka.jp: chikushino chikuzen chuo dazaifu fukuchi hakata higashi hirokawa hisayama iizuka inatsuki kaho
        fukuoka.jp: kasuga kasuya kawara keisen koga kurate kurogi kurume minami miyako miyama miyawaka mizumaki
        fukuoka.jp: munakata nakagawa nakama nishi nogata ogori okagaki okawa oki omuta onga onojo oto saigawa sasaguri
        fukuoka.jp: shingu shinyoshitomi shonai soeda sue tachiarai tagawa takata toho toyotsu tsuiki ukiha umi usui
        fukuoka.jp: yamada yame yanagawa yukuhashi fukushima.jp: aizubange aizumisato aizuwakamatsu asakawa bandai date
        fukushima.jp: fukushima furudono futaba hanawa higashi hirata hirono iitate inawashiro ishikawa iwaki izumizaki
        fukushima.jp: kagamiishi kaneyama kawamata kitakata kitashiobara koori koriyama kunimi miharu mishima namie
        fukushima.jp: nango nishiaizu nishigo okuma omotego ono otama samegawa shimogo shirakawa showa soma sukagawa
        fukushima.jp: taishin tamakawa tanagura tenei yabuki yamato yamatsuri yanaizu yugawa fun: ms vicp yicp zicp
        funkfeuer.at: wien futurecms.at: ex* in* ga.us: cc k12 lib games: pley sheezy gay: pages gd: edu gov gdn: cnpy
        ge: com cyb edu gov llc net online org pvt school tnx gg: botdash co kaas net org panel stackit gh: biz com edu
        gh: gov mil net org gi: com edu gov ltd mod org gifu.jp: anpachi ena gifu ginan godo gujo hashima hichiso hida
        gifu.jp: higashishirakawa ibigawa ikeda kakamigahara kani kasahara kasamatsu kawaue kitagata mino minokamo
        gifu.jp: mitake mizunami motosu nakatsugawa ogaki sakahogi seki sekigahara shirakawa tajimi takayama tarui toki
        gifu.jp: tomika wanouchi yamagata yaotsu yoro gl: co com edu net org global: appwrite gn: ac com edu gov net
        gn: org goog: cloud translate usercontent* gov.au: qld sa tas vic wa gov.br: ac al am ap ba ce df es go ma mg
        gov.br: ms mt pa pb pe pi pr rj rn ro rr rs sc se sp to gov.pl: ap griw ic is kmpsp konsulat kppsp kwp kwpsp
        gov.pl: mup mw oia oirm oke oow oschr oum pa pinb piw po pr psp psse pup rzgw sa sdn sko so sr starostwo ug
        gov.pl: ugim um umig upow uppo us uw uzs wif wiih winb wios witd wiw wkz wsa wskr wsse wuoz wzmiuw zp zpisdn
        gov.scot: service gov.uk: api campaign service gp: asso com edu mobi net org gr: barsy com edu gov net org
        gr: simplesite group: discourse gt: com edu gob ind mil net org gu: com edu gov guam info net org web gu.us: cc
        gu.us: k12 lib gunma.jp: annaka chiyoda fujioka higashiagatsuma isesaki itakura kanna kanra katashina kawaba
        gunma.jp: kiryu kusatsu maebashi meiwa midori minakami naganohara nakanojo nanmoku numata oizumi ora ota
        gunma.jp: shibukawa shimonita shinto showa takasaki takayama tamamura tatebayashi tomioka tsukiyono tsumagoi
        gunma.jp: ueno yoshioka gv.vc: d gw: nx gy: co com edu gov net org health: hra hedmark.no: os valer
        hedmark.no: xn--vler-qoa her.name: forgot hf.space: static hi.us: cc lib hiroshima.jp: asaminami daiwa etajima
        hiroshima.jp: fuchu fukuyama hatsukaichi higashihiroshima hongo jinsekikogen kaita kui kumano kure mihara
        hiroshima.jp: miyoshi naka onomichi osakikamijima otake saka sera seranishi shinichi shobara takehara
        his.name: forgot hk: com edu gov idv inc ltd net org xn--55qx5d xn--ciqpn xn--gmq050i xn--gmqw5a xn--io0a7i
        hk: xn--lcvr32d xn--mk0axi xn--mxtq1m xn--od0alg xn--od0aq3b xn--tn0ag xn--uc0atv xn--uc0ay4a xn--wcvs22d
        hk: xn--zf0avx hl.no: gs hm.no: gs hn: com edu gob mil net org hokkaido.jp: abashiri abira aibetsu akabira
        hokkaido.jp: akkeshi asahikawa ashibetsu ashoro assabu atsuma bibai biei bifuka bihoro biratori chippubetsu
        hokkaido.jp: chitose date ebetsu embetsu eniwa erimo esan esashi fukagawa fukushima furano furubira haboro
        hokkaido.jp: hakodate hamatonbetsu hidaka higashikagura higashikawa hiroo hokuryu hokuto honbetsu horokanai
        hokkaido.jp: horonobe ikeda imakane ishikari iwamizawa iwanai kamifurano kamikawa kamishihoro kamisunagawa
        hokkaido.jp: kamoenai kayabe kembuchi kikonai kimobetsu kitahiroshima kitami kiyosato koshimizu kunneppu
        hokkaido.jp: kuriyama kuromatsunai kushiro kutchan kyowa mashike matsumae mikasa minamifurano mombetsu moseushi
        hokkaido.jp: mukawa muroran naie nakagawa nakasatsunai nakatombetsu nanae nanporo nayoro nemuro niikappu niki
        hokkaido.jp: nishiokoppe noboribetsu numata obihiro obira oketo okoppe otaru otobe otofuke otoineppu oumu ozora
        hokkaido.jp: pippu rankoshi rebun rikubetsu rishiri rishirifuji saroma sarufutsu shakotan shari shibecha
        hokkaido.jp: shibetsu shikabe shikaoi shimamaki shimizu shimokawa shinshinotsu shintoku shiranuka shiraoi
        hokkaido.jp: shiriuchi sobetsu sunagawa taiki takasu takikawa takinoue teshikaga tobetsu tohma tomakomai tomari
        hokkaido.jp: toya toyako toyotomi toyoura tsubetsu tsukigata urakawa urausu uryu utashinai wakkanai wassamu
        hokkaido.jp: yakumo yoichi home-webserver.de: dyn hooc.me: seprox hordaland.no: os host: bolt cloudaccess
        host: easypanel emergent fastvps freesite gadget half iserv jele mircloud myfast tempurl wp2 wpmudev
        hosted-by-previder.com: paas hosteur.com: rag-cloud rag-cloud-ch hosting: opencraft hr: com from iz name
        hrsn.net: vps ht: adult art asso com coop edu firm gouv info med net org perso pol pro rel rt shop hu: 2000
        hu: agrar bolt casino city co erotica erotika film forum games hotel info ingatlan jogasz konyvelo lakas media
        hu: news org priv reklam sex shop sport suli szex tm tozsde utazas video hyogo.jp: aioi akashi ako amagasaki
        hyogo.jp: aogaki asago ashiya awaji fukusaki goshiki harima himeji ichikawa inagawa itami kakogawa kamigori
        hyogo.jp: kamikawa kasai kasuga kawanishi miki minamiawaji nishinomiya nishiwaki ono sanda sannan sasayama sayo
        hyogo.jp: shingu shinonsen shiso sumoto taishi taka takarazuka takasago takino tamba tatsuno toyooka yabu
        hyogo.jp: yashiro yoka yokawa ia.us: cc k12 lib ibaraki.jp: ami asahi bando chikusei daigo fujishiro hitachi
        ibaraki.jp: hitachinaka hitachiomiya hitachiota ibaraki ina inashiki itako iwama joso kamisu kasama kashima
        ibaraki.jp: kasumigaura koga miho mito moriya naka namegata oarai ogawa omitama ryugasaki sakai sakuragawa
        ibaraki.jp: shimodate shimotsuma shirosato sowa suifu takahagi tamatsukuri tokai tomobe tone toride tsuchiura
        ibaraki.jp: tsukuba uchihara ushiku yachiyo yamagata yawara yuki icp0.io: raw* icp1.io: raw* id: ac ai biz co
        id: desa e go kop mil my net or ponpes sch web xn--9tfky zone id.us: cc k12 lib ie: gov myspreadshop
        ik-server.com: jcloud jcloud-ver-jpc il: ac co gov idf k12 muni net org
        il-central-1.amazonaws.com: emrappui-prod emrnotebooks-prod emrstudio-prod execute-api s3 s3-accesspoint
        il-central-1.amazonaws.com: s3-object-lambda s3-website il-central-1.amazoncognito.com: auth
        il-central-1.on.aws: airflow* transfer-webapp il-central-1.sagemaker.aws: notebook studio il.us: cc k12 lib
        im: ac co com net org tt tv in: 5g 6g ac aero ai alumni am bank barsy bihar biz business ca cloudns cn co com
        in: coop cs delhi dr edu er fin firm gen gov gujarat ind indevs info int internet io me mil net nic org pg post
        in: pro res school supabase travel tv ub uk up us web in.us: cc k12 lib info: barrel-of-knowledge
        info: barrell-of-knowledge barsy cloudns dnsupdate dvrcam dynamic-dns dyndns for-our forumz groks-the
        info: groks-this here-for-more ilovecollege knowsitall mayfirst mittwald mittwaldserver no-ip nsupdate selfip
        info: typo3server v-info webhop instances.scw.cloud: priv pub int: eu int.apple: cloud*
        interhostsolutions.be: cloud io: 2038 apigee azurecontainer* b-data barsy basicserver beagleboard bitbucket
        io: bluebite boxfuse brave browsersafetymark bubbleapps cleverapps cloudbeesusercontent co com darklang dedyn
        io: definima drive-platform editorx edu edugit fh-muenster gitbook github gitlab gov hasura-app hostyhosting
        io: hypernode icp0 icp1 jele keenetic kiloapps loginline lolipop mil mo-siemens moonscale* musician myaddr
        io: myrdbx net ngrok nom on-k3s* on-rio* org pantheonsite pstmn qcx qoto qzz readthedocs resindevice sandcats
        io: stolos* telebit tickets utwente vaporcloud virtualserver webflow webflowtest webthings wixstudio iq: com
        iq: edu gov mil net org ir: ac arvanedge co gov id net org sch vistablog xn--mgba3a4f16a xn--mgba3a4fra
        ishikawa.jp: anamizu hakui hakusan kaga kahoku kanazawa kawakita komatsu nakanoto nanao nomi nonoichi noto
        ishikawa.jp: shika suzu tsubata tsurugi uchinada wajima isk01.sakurastorage.jp: s3 isk02.sakurastorage.jp: s3
        it: 123homepage 16-b 32-b 64-b abr abruzzo ag agrigento al alessandria alto-adige altoadige an ancona
        it: andria-barletta-trani andria-trani-barletta andriabarlettatrani andriatranibarletta ao aosta aosta-valley
        it: aostavalley aoste ap aq ar arezzo ascoli-piceno ascolipiceno asti at av avellino ba balsan balsan-sudtirol
        it: balsan-suedtirol bari barletta-trani-andria barlettatraniandria bas basilicata belluno benevento bergamo bg
        it: bi biella bl bn bo bologna bolzano bolzano-altoadige bozen bozen-sudtirol bozen-suedtirol br brescia
        it: brindisi bs bt bulsan bulsan-sudtirol bulsan-suedtirol bz ca cagliari cal calabria caltanissetta cam
        it: campania campidano-medio campidanomedio campobasso carbonia-iglesias carboniaiglesias carrara-massa
        it: carraramassa caserta catania catanzaro cb ce cesena-forli cesenaforli ch chieti ci cl cn co como cosenza cr
        it: cremona crotone cs ct cuneo cz dell-ogliastra dellogliastra dnshome edu emilia-romagna emiliaromagna emr en
        it: enna fc fe fermo ferrara fg fi firenze florence fm foggia forli-cesena forlicesena fr friuli-v-giulia
        it: friuli-ve-giulia friuli-vegiulia friuli-venezia-giulia friuli-veneziagiulia friuli-vgiulia friuliv-giulia
        it: friulive-giulia friulivegiulia friulivenezia-giulia friuliveneziagiulia friulivgiulia frosinone fvg ge
        it: genoa genova go gorizia gov gr grosseto ibxos iglesias-carbonia iglesiascarbonia iliadboxos im imperia is
        it: isernia kr la-spezia laquila laspezia latina laz lazio lc le lecce lecco li lig liguria livorno lo lodi lom
        it: lombardia lombardy lt lu lucania lucca macerata mantova mar marche massa-carrara massacarrara matera mb mc
        it: me medio-campidano mediocampidano messina mi milan milano mn mo modena mol molise monza monza-brianza
        it: monza-e-della-brianza monzabrianza monzaebrianza monzaedellabrianza ms mt myspreadshop na naples napoli no
        it: novara nu nuoro og ogliastra olbia-tempio olbiatempio or oristano ot pa padova padua palermo parma pavia pc
        it: pd pe perugia pesaro-urbino pesarourbino pescara pg pi piacenza piedmont piemonte pisa pistoia pmn pn po
        it: pordenone potenza pr prato pt pu pug puglia pv pz ra ragusa ravenna rc re reggio-calabria reggio-emilia
        it: reggiocalabria reggioemilia rg ri rieti rimini rm rn ro roma rome rovigo sa salerno sar sardegna sardinia
        it: sassari savona si sic sicilia sicily siena siracusa so sondrio sp sr ss su sud-sardegna sudsardegna
        it: suedtirol sv syncloud ta taa taranto te tempio-olbia tempioolbia teramo terni tn to torino tos toscana tp
        it: tr trani-andria-barletta trani-barletta-andria traniandriabarletta tranibarlettaandria trapani
        it: trentin-sud-tirol trentin-sudtirol trentin-sued-tirol trentin-suedtirol trentino trentino-a-adige
        it: trentino-aadige trentino-alto-adige trentino-altoadige trentino-s-tirol trentino-stirol trentino-sud-tirol
        it: trentino-sudtirol trentino-sued-tirol trentino-suedtirol trentinoa-adige trentinoaadige trentinoalto-adige
        it: trentinoaltoadige trentinos-tirol trentinostirol trentinosud-tirol trentinosued-tirol trentinosuedtirol
        it: trentinsud-tirol trentinsudtirol trentinsued-tirol trentinsuedtirol trento treviso trieste ts turin tuscany
        it: tv ud udine umb umbria urbino-pesaro urbinopesaro va val-d-aosta val-daosta vald-aosta valle-aosta
        it: valle-d-aosta valle-daosta valleaosta valled-aosta valledaosta vallee-aoste vallee-d-aoste valleeaoste
        it: valleedaoste vao varese vb vc vda ve ven veneto venezia venice verbania verbano-cusio-ossola vercelli
        it: verona vi vibo-valentia vibovalentia vicenza viterbo vr vs vt vv xn--balsan-sdtirol-nsb
        it: xn--bozen-sdtirol-2ob xn--bulsan-sdtirol-nsb xn--cesena-forl-mcb xn--cesenaforl-i8a xn--forl-cesena-fcb
        it: xn--forlcesena-c8a xn--sdtirol-n2a xn--trentin-sd-tirol-rzb xn--trentin-sdtirol-7vb
        it: xn--trentino-sd-tirol-c3b xn--trentino-sdtirol-szb xn--trentinosd-tirol-rzb xn--trentinosdtirol-7vb
        it: xn--trentinsd-tirol-6vb xn--trentinsdtirol-nsb xn--valle-aoste-ebb xn--valle-d-aoste-ehb xn--valleaoste-e7a
        it: xn--valledaoste-ebb it.hs-heilbronn.de: pages pages-research iwate.jp: fudai fujisawa hanamaki hiraizumi
        iwate.jp: hirono ichinohe ichinoseki iwaizumi iwate joboji kamaishi kanegasaki karumai kawai kitakami kuji
        iwate.jp: kunohe kuzumaki miyako mizusawa morioka ninohe noda ofunato oshu otsuchi rikuzentakata shiwa
        iwate.jp: shizukuishi sumita tanohata tono yahaba yamada jan-mayen.no: gs je: co net of org jelastic.cloud: vip
        jelastic.com: demo jelastic.vps-host.net: atl njs ric jenv-aruba.cloud: it1 jo: agri ai com edu eng fm gov mil
        jo: net org per phd sch tv jp: 0am 0g0 0j0 0t0 2-d ac ad aichi akita angry aomori babyblue babymilk backdrop
        jp: bambina bitter blush bona boo boy boyfriend but buyshop candypop capoo catfood cheap chiba chicappa
        jp: chillout chips chowder chu ciao co cocotte coolblog cranky crap cutegirl daa daynight deca deci digick ed
        jp: eek egoism ehime fakefur fashionstore fem flier flop floppy fool frenchkiss fukui fukuoka fukushima gifu
        jp: girlfriend girly gloomy go gonna gr greater gunma hacca halfmoon handcrafted hateblo hatenablog hatenadiary
        jp: heavy her hiho hippy hiroshima hokkaido holy hungry hyogo ibaraki icurus ishikawa itigo iwate jeez
        jp: jellybean kagawa kagoshima kanagawa kawaiishop kawasaki* kikirara kill kilo kitakyushu* kobe* kochi
        jp: kumamoto kuron kyoto lg littlestar lolipopmc lolitapunk lomo lovepop lovesick main matrix mie mimoza miyagi
        jp: miyazaki mods mond mongolian moo mydns nagano nagasaki nagoya* namaste nara ne netgamers niigata nikita
        jp: nobushi noor nyanta o0o0 oita okayama okinawa oops or osaka parallel parasite pecori peewee penne pepper
        jp: perma pgw pigboat pinoko punyu pupu pussycat pya raindrop rdy readymade rgr rulez sadist saga saitama
        jp: saloon sapporo* sblo schoolbus secret sendai* shiga shimane shizuoka skr staba stripper sub sunnyday
        jp: supersale tank theshop thick tochigi tokushima tokyo tonkotsu tottori toyama uh-oh under undo upper
        jp: usercontent velvet verse versus vivian wakayama watson weblike websozai whitesnow wjg xii xn--0trq7p7nn
        jp: xn--1ctwo xn--1lqs03n xn--1lqs71d xn--2m4a15e xn--32vp30h xn--4it168d xn--4it797k xn--4pvxs xn--5js045d
        jp: xn--5rtp49c xn--5rtq34k xn--6btw5a xn--6orx2r xn--7t0a264c xn--8ltr62k xn--8pvr4u xn--c3s14m xn--d5qv7z876c
        jp: xn--djrs72d6uy xn--djty4k xn--efvn9s xn--ehqz56n xn--elqq16h xn--f6qx53a xn--k7yn95e xn--kbrq7o xn--klt787d
        jp: xn--kltp7d xn--kltx9a xn--klty5x xn--mkru45i xn--nit225k xn--ntso0iqx3a xn--ntsq17g xn--pssu33l xn--qqqt11m
        jp: xn--rht27z xn--rht3d xn--rht61e xn--rny31h xn--tor131o xn--uist22h xn--uisz3g xn--uuwu58a xn--vgu402c
        jp: xn--zbx025d yamagata yamaguchi yamanashi yokohama* zombie k12.ma.us: chtr paroch pvt k2.cloud: elastic s3
        k2.cloud: website k8s.fr-par.scw.cloud: nodes k8s.nl-ams.scw.cloud: nodes k8s.pl-waw.scw.cloud: nodes
        kagawa.jp: ayagawa higashikagawa kanonji kotohira manno marugame mitoyo naoshima sanuki tadotsu takamatsu
        kagawa.jp: tonosho uchinomi utazu zentsuji kagoshima.jp: akune amami hioki isa isen izumi kagoshima kanoya
        kagoshima.jp: kawanabe kinko kouyama makurazaki matsumoto minamitane nakatane nishinoomote satsumasendai soo
        kagoshima.jp: tarumizu yusui kanagawa.jp: aikawa atsugi ayase chigasaki ebina fujisawa hadano hakone hiratsuka
        kanagawa.jp: isehara kaisei kamakura kiyokawa matsuda minamiashigara miura nakai ninomiya odawara oi oiso
        kanagawa.jp: sagamihara samukawa tsukui yamakita yamato yokosuka yugawara zama zushi kawasaki.jp: city! ke: ac
        ke: co go info me mobi ne or sc keliweb.cloud: cs kg: ae com edu gov mil net org us xx kh: com edu gov net org
        ki: biz com edu gov info net org kitakyushu.jp: city! km: ass asso com coop edu gouv gov medecin mil nom
        km: notaires org pharmaciens prd presse tm veterinaire kn: edu gov net org kobe.jp: city! kochi.jp: aki geisei
        kochi.jp: hidaka higashitsuno ino kagami kami kitagawa kochi mihara motoyama muroto nahari nakamura nankoku
        kochi.jp: nishitosa niyodogawa ochi okawa otoyo otsuki sakawa sukumo susaki tosa tosashimizu toyo tsuno umaji
        kochi.jp: yasuda yusuhara kp: com edu gov org rep tra kr: ac ai busan c01 chungbuk chungnam co daegu daejeon
        kr: eliv-api eliv-cdn eliv-dns es gangwon go gwangju gyeongbuk gyeonggi gyeongnam hs incheon io it jeju jeonbuk
        kr: jeonnam kg me mil mmv ms ne or pe re sc seoul ulsan vki krd: co edu ks.us: cc k12 lib kuleuven.be: ezproxy
        kumamoto.jp: amakusa arao aso choyo gyokuto kamiamakusa kikuchi kumamoto mashiki mifune minamata minamioguni
        kumamoto.jp: nagasu nishihara oguni ozu sumoto takamori uki uto yamaga yamato yatsushiro kw: com edu emb gov
        kw: ind net org ky: com edu net org ky.us: cc k12 lib kyoto.jp: ayabe fukuchiyama higashiyama ide ine joyo
        kyoto.jp: kameoka kamo kita kizu kumiyama kyotamba kyotanabe kyotango maizuru minami minamiyamashiro miyazu
        kyoto.jp: muko nagaokakyo nakagyo nantan oyamazaki sakyo seika tanabe uji ujitawara wazuka yamashina yawata
        kz: com edu gov jcloud mil net org la: bnr com edu gov info int net org per la.us: cc k12 lib lair.io: apps
        layershift.co.uk: j lb: com edu gov net org lc: co com edu gov net org oy leg.br: ac al am ap ba ce df es go ma
        leg.br: mg ms mt pa pb pe pi pr rj rn ro rr rs sc se sp to liara.run: iran link: canva cyon dweb* inbrowser*
        link: joinmc keenetic myfritz mypep linode.com: members nodebalancer* linodeusercontent.com: ip live: aem ewp*
        live: hlx lk: ac assn com edu gov grp hotel int ltd net ngo org sch soc web localcert.dev: user* lol: omg
        lp.dev: api objects lpg.cloudscale.ch: objects lr: com edu gov net org ls: ac biz co edu gov info net org sc
        lt: gov lu: 123website lv: asn com conf edu gov id mil net org ly: com edu gov id med net org plc sch ma: ac co
        ma: gov net org press ma.us: cc k12 lib massivegrid.com: paas mc: asso tm mcdir.ru: vps md: ir md.us: cc k12
        md.us: lib me: ac barsy brasilia c66 co craft ddns diskstation dnsfor dscloud edgestack edu filegear
        me: filegear-sg gov grok hopto i234 its loginto lohmus mcdir mybox myds net nohost noip org priv soundcast
        me: synology tcp4 vp4 webhop me-central-1.amazonaws.com: emrappui-prod emrnotebooks-prod emrstudio-prod
        me-central-1.amazonaws.com: execute-api s3 s3-accesspoint s3-object-lambda s3-website
        me-central-1.amazoncognito.com: auth me-central-1.on.aws: airflow* transfer-webapp
        me-central-1.sagemaker.aws: notebook studio me-south-1.amazonaws.com: emrappui-prod emrnotebooks-prod
        me-south-1.amazonaws.com: emrstudio-prod execute-api s3 s3-accesspoint s3-object-lambda s3-website
        me-south-1.amazoncognito.com: auth me-south-1.on.aws: airflow* lambda-url transfer-webapp
        me-south-1.sagemaker.aws: notebook studio me.us: cc k12 lib media: framer menu: barsy barsyonline
        metacentrum.cz: cloud* custom meteorapp.com: eu mg: co com edu gov mil nom org prd mi.us: ann-arbor cc cog dst
        mi.us: eaton gen k12 lib mus tec washtenaw mie.jp: asahi inabe ise kameyama kawagoe kiho kisosaki kiwa komono
        mie.jp: kumano kuwana matsusaka meiwa mihama minamiise misugi miyama nabari shima suzuka tado taiki taki tamaki
        mie.jp: toba tsu udono ureshino watarai yokkaichi miyagi.jp: furukawa higashimatsushima ishinomaki iwanuma
        miyagi.jp: kakuda kami kawasaki marumori matsushima minamisanriku misato murata natori ogawara ohira onagawa
        miyagi.jp: osaki rifu semine shibata shichikashuku shikama shiogama shiroishi tagajo taiwa tome tomiya wakuya
        miyagi.jp: watari yamamoto zao miyazaki.jp: aya ebino gokase hyuga kadogawa kawaminami kijo kitagawa kitakata
        miyazaki.jp: kitaura kobayashi kunitomi kushima mimata miyakonojo miyazaki morotsuka nichinan nishimera nobeoka
        miyazaki.jp: saito shiiba shintomi takaharu takanabe takazaki tsuno mk: com edu gov inf name net org ml: ac art
        ml: asso com edu gouv gov info inst net org pr presse mn: edu gov nyc org mn.us: cc k12 lib mo: com edu gov net
        mo: org mo.us: cc k12 lib mobi: barsy dscloud more-og-romsdal.no: heroy sande mp: ju mr: gov mr.no: gs ms: com
        ms: edu gov minisite net org ms.us: cc k12 mt: com edu net org mt.us: cc k12 lib mu: ac co com gov net or org
        mv: aero biz com coop edu gov info int mil museum name net org pro mw: ac biz co com coop edu gov int net org
        mx: com edu gob net org mx-central-1.amazoncognito.com: auth mx-central-1.on.aws: transfer-webapp my: biz com
        my: edu gov mil name net org myjino.ru: hosting* landing* spectrum* vps* mynetname.net: sn
        mythic-beasts.com: caracal customer fentiger lynx ocelot oncilla onza sphinx vs x yali mz: ac adv co edu gov
        mz: mil net org na: alt co com gov net org nabu.casa: ui nagano.jp: achi agematsu anan aoki asahi azumino
        nagano.jp: chikuhoku chikuma chino fujimi hakuba hara hiraya iida iijima iiyama iizuna ikeda ikusaka ina
        nagano.jp: karuizawa kawakami kiso kisofukushima kitaaiki komagane komoro matsukawa matsumoto miasa minamiaiki
        nagano.jp: minamimaki minamiminowa minowa miyada miyota mochizuki nagano nagawa nagiso nakagawa nakano
        nagano.jp: nozawaonsen obuse ogawa okaya omachi omi ookuwa ooshika otaki otari sakae sakaki saku sakuho
        nagano.jp: shimosuwa shinanomachi shiojiri suwa suzaka takagi takamori takayama tateshina tatsuno togakushi
        nagano.jp: togura tomi ueda wada yamagata yamanouchi yasaka yasuoka nagasaki.jp: chijiwa futsu goto hasami
        nagasaki.jp: hirado iki isahaya kawatana kuchinotsu matsuura nagasaki obama omura oseto saikai sasebo seihi
        nagasaki.jp: shimabara shinkamigoto togitsu tsushima unzen nagoya.jp: city! name: ispmanager keenetic
        nara.jp: ando gose heguri higashiyoshino ikaruga ikoma kamikitayama kanmaki kashiba kashihara katsuragi kawai
        nara.jp: kawakami kawanishi koryo kurotaki mitsue miyake nara nosegawa oji ouda oyodo sakurai sango shimoichi
        nara.jp: shimokitayama shinjo soni takatori tawaramoto tenkawa tenri uda yamatokoriyama yamatotakada yamazoe
        nara.jp: yoshino nc: asso nom nc.tr: gov nc.us: cc k12 lib ne.jp: gehirn ivory mail-box mints mokuren opal
        ne.jp: sakura sumomo topaz ne.us: cc k12 lib neen.it: jc net: adobeaemcloud adobeio-static adobeioruntime
        net: akadns akamai akamai-staging akamaiedge akamaiedge-staging akamaihd akamaihd-staging akamaiorigin
        net: akamaiorigin-staging akamaized akamaized-staging alwaysdata apps-1and1 appudo at-band-camp azure-api
        net: azure-mobile azureedge azurefd azurestaticapps azurewebsites barsy blackbaudcdn blogdns boomla botdash
        net: bounceme bplaced broke-it buyshouses casacam cdn-edges cdn77-ssl channelsdvr clickrising cloudaccess
        net: cloudapp cloudflare cloudfront cloudfunctions cloudjiffy cloudycluster community-pro ctfcloud dattolocal
        net: ddns ddns-ip de5 debian definima deno dns-cloud dns-dynamic dnsalias dnsdojo dnsup does-it dontexist
        net: dsmynas dynalias dynathome dynu dynuddns dynv6 eating-organic edgekey edgekey-staging edgesuite
        net: edgesuite-staging endofinternet familyds fastlylb feste-ip firewall-gateway from-az from-co from-la
        net: from-ny gb gets-it ggff grafana-dev ham-radio-op heteml hicam homeftp homeip homelinux homeunix hu icp* in
        net: in-dsl in-the-band in-vpn iobb ipifony ipv64 is-a-chef is-a-geek isa-geek jp keyword-on kicks-ass kinghost
        net: knx-server krellian live-on localcert localto* luyani mafelo meinforum memset moonscale myamaze mydatto
        net: mydissent myeffect myfritz mymediapc mypsx myradweb mysecuritycamera myspreadshop mysynology nhlfan no-ip
        net: now-dns office-on-the oninferno opik ownip pgafan podzone privatizehealthinsurance rackmaze redirectme
        net: reserve-online routingthecloud ru schokokeks scrapper-site se seidat selfip sells-it senseering servebbs
        net: serveblog serveftp serveminecraft server-on shopselect siteleaf spryt square7 squares static-access
        net: subsc-pay supabase sytes thruhere torproject trafficmanager ts tunnelmole twmail uk uni5 usgovcloudapp
        net: usgovtrafficmanager vpndns vps-host vusercontent webhop yandexcloud za zabc network: aem alces* appwrite
        network: arvo azimuth co tlon news: noticeable nf: arts com firm info net other per rec store web
        nftstorage.link: ipfs ng: biz col com edu firm gen gov i ltd mil mobi name net ngo org plc sch ngrok.io: ap au
        ngrok.io: eu in jp sa us nh.us: cc k12 lib ni: ac biz co com edu gob in info int mil net nom org web
        niigata.jp: aga agano gosen itoigawa izumozaki joetsu kamo kariwa kashiwazaki minamiuonuma mitsuke muika
        niigata.jp: murakami myoko nagaoka niigata ojiya omi sado sanjo seiro seirou sekikawa shibata tagami tainai
        niigata.jp: tochio tokamachi tsubame tsunan uonuma yahiko yoita yuzawa nj.us: cc k12 lib nl: 123website cistron
        nl: co demon gov hosting-cluster khplay myspreadshop transurl* nl-ams.scw.cloud: cockpit ddl dtwh ifr k8s kafk
        nl-ams.scw.cloud: mgdb rdb s3 s3-website scbl whm nl.no: gs nm.us: cc k12 lib no: 123hjemmeside aa aarborte
        no: aejrie afjord agdenes ah aknoluokta akrehamn al alaheadju alesund algard alstahaug alta alvdal amli amot
        no: andasuolo andebu andoy ardal aremark arendal arna aseral asker askim askoy askvoll asnes audnedal aukra
        no: aure aurland aurskog-holand austevoll austrheim averoy badaddja bahcavuotna bahccavuotna baidar bajddar
        no: balat balestrand ballangen balsfjord bamble bardu barum batsfjord bearalvahki beardu beiarn berg bergen
        no: berlevag bievat bindal birkenes bjerkreim bjugn bodo bokn bomlo bremanger bronnoy bronnoysund brumunddal
        no: bryne bu budejju bygland bykle cahcesuolo co davvenjarga davvesiida deatnu dep dielddanuorri divtasvuodna
        no: divttasvuotna donna dovre drammen drangedal drobak dyroy egersund eid eidfjord eidsberg eidskog eidsvoll
        no: eigersund elverum enebakk engerdal etne etnedal evenassi evenes evje-og-hornnes farsund fauske fedje fet
        no: fetsund fhs finnoy fitjar fjaler fjell fla flakstad flatanger flekkefjord flesberg flora floro fm folkebibl
        no: folldal forde forsand fosnes frana fredrikstad frogn froland frosta froya fuoisku fuossko fusa fylkesbibl
        no: fyresdal gaivuotna galsa gamvik gangaviika gaular gausdal giehtavuoatna gielda gildeskal giske gjemnes
        no: gjerdrum gjerstad gjesdal gjovik gloppen gol gran grane granvin gratangen grimstad grong grue gulen
        no: guovdageaidnu ha habmer hadsel hagebostad halden halsa hamar hamaroy hammarfeasta hammerfest hapmir haram
        no: hareid harstad hasvik hattfjelldal haugesund hemne hemnes hemsedal herad hitra hjartdal hjelmeland hl hm
        no: hobol hof hokksund hol hole holmestrand holtalen honefoss hornindal horten hoyanger hoylandet hurdal hurum
        no: hvaler hyllestad ibestad idrett inderoy iveland ivgu jan-mayen jessheim jevnaker jolster jondal jorpeland
        no: kafjord karasjohka karasjok karlsoy karmoy kautokeino kirkenes klabu klepp kommune kongsberg kongsvinger
        no: kopervik kraanghke kragero kristiansand kristiansund krodsherad krokstadelva kvafjord kvalsund kvam
        no: kvanangen kvinesdal kvinnherad kviteseid kvitsoy laakesvuemie lahppi langevag lardal larvik lavagis
        no: lavangen leangaviika lebesby leikanger leirfjord leirvik leka leksvik lenvik lerdal lesja levanger lier
        no: lierne lillehammer lillesand lindas lindesnes loabat lodingen lom loppa lorenskog loten lund lunner luroy
        no: luster lyngdal lyngen malatvuopmi malselv malvik mandal marker marnardal masfjorden masoy matta-varjjat
        no: meland meldal melhus meloy meraker midsund midtre-gauldal mil mjondalen mo-i-rana moareke modalen modum
        no: molde mosjoen moskenes moss mr muosat museum myspreadshop naamesjevuemie namdalseid namsos namsskogan
        no: nannestad naroy narviika narvik naustdal navuotna nedre-eiker nesna nesodden nesoddtangen nesseby nesset
        no: nissedal nittedal nl nord-aurdal nord-fron nord-odal norddal nordkapp nordre-land nordreisa nore-og-uvdal
        no: notodden notteroy nt odda of oksnes ol omasvuotna oppdal oppegard orkanger orkdal orland orskog orsta osen
        no: oslo osoyro osteroy ostre-toten overhalla ovre-eiker oyer oygarden oystre-slidre porsanger porsangu
        no: porsgrunn priv rade radoy rahkkeravju raholt raisa rakkestad ralingen rana randaberg rauma re rendalen
        no: rennebu rennesoy rindal ringebu ringerike ringsaker risor rissa rl roan rodoy rollag romsa romskog roros
        no: rost royken royrvik ruovat rygge salangen salat saltdal samnanger sandefjord sandnes sandnessjoen sandoy
        no: sarpsborg sauda sauherad sel selbu selje seljord sf siellak sigdal siljan sirdal skanit skanland skaun
        no: skedsmo skedsmokorset ski skien skierva skiptvet skjak skjervoy skodje slattum smola snaase snasa
        no: snillfjord snoasa sogndal sogne sokndal sola solund somna sondre-land songdalen sor-aurdal sor-fron
        no: sor-odal sor-varanger sorfold sorreisa sortland sorum spjelkavik spydeberg st stange stat stathelle
        no: stavanger stavern steigen steinkjer stjordal stjordalshalsen stokke stor-elvdal stord stordal storfjord
        no: strand stranda stryn sula suldal sund sunndal suohkan surnadal svalbard sveio svelvik sykkylven tana
        no: tananger time tingvoll tinn tjeldsund tjielte tjome tm tokke tolga tonsberg torsken tr trana tranby tranoy
        no: troandin trogstad tromsa tromso trondheim trysil tvedestrand tydal tynset tysfjord tysnes tysvar uenorge
        no: ullensaker ullensvang ulstein ulvik unjarga utsira va vaapste vadso vaga vagan vagsoy vaksdal valle vang
        no: vanylven vardo varggat varoy vefsn vega vegarshei vennesla verdal verran vestby vestnes vestre-slidre
        no: vestre-toten vestvagoy vevelstad vf vgs vik vikna vindafjord voagat volda voss vossevangen xn--andy-ira
        no: xn--asky-ira xn--aurskog-hland-jnb xn--avery-yua xn--bdddj-mrabd xn--bearalvhki-y4a xn--berlevg-jxa
        no: xn--bhcavuotna-s4a xn--bhccavuotna-k7a xn--bidr-5nac xn--bievt-0qa xn--bjddar-pta xn--blt-elab xn--bmlo-gra
        no: xn--bod-2na xn--brnny-wuac xn--brnnysund-m8ac xn--brum-voa xn--btsfjord-9za xn--davvenjrga-y4a xn--dnna-gra
        no: xn--drbak-wua xn--dyry-ira xn--eveni-0qa01ga xn--finny-yua xn--fjord-lra xn--fl-zia xn--flor-jra
        no: xn--frde-gra xn--frna-woa xn--frya-hra xn--ggaviika-8ya47h xn--gildeskl-g0a xn--givuotna-8ya xn--gjvik-wua
        no: xn--gls-elac xn--h-2fa xn--hamary-fya xn--hbmer-xqa xn--hcesuolo-7ya35b xn--hgebostad-g3a
        no: xn--hmmrfeasta-s4ac xn--hnefoss-q1a xn--hobl-ira xn--holtlen-hxa xn--hpmir-xqa xn--hyanger-q1a
        no: xn--hylandet-54a xn--indery-fya xn--jlster-bya xn--jrpeland-54a xn--karlsy-fya xn--karmy-yua xn--kfjord-iua
        no: xn--klbu-woa xn--koluokta-7ya57h xn--krager-gya xn--kranghke-b0a xn--krdsherad-m8a xn--krehamn-dxa
        no: xn--krjohka-hwab49j xn--ksnes-uua xn--kvfjord-nxa xn--kvitsy-fya xn--kvnangen-k0a xn--l-1fa
        no: xn--laheadju-7ya xn--langevg-jxa xn--ldingen-q1a xn--leagaviika-52b xn--lesund-hua xn--lgrd-poac
        no: xn--lhppi-xqa xn--linds-pra xn--loabt-0qa xn--lrdal-sra xn--lrenskog-54a xn--lt-liac xn--lten-gra
        no: xn--lury-ira xn--mely-ira xn--merker-kua xn--mjndalen-64a xn--mlatvuopmi-s4a xn--mli-tla xn--mlselv-iua
        no: xn--moreke-jua xn--mosjen-eya xn--mot-tla xn--msy-ula0h xn--mtta-vrjjat-k7af xn--muost-0qa
        no: xn--nmesjevuemie-tcba xn--nry-yla5g xn--nttery-byae xn--nvuotna-hwa xn--oppegrd-ixa xn--ostery-fya
        no: xn--osyro-wua xn--porsgu-sta26f xn--rady-ira xn--rdal-poa xn--rde-ula xn--rdy-0nab xn--rennesy-v1a
        no: xn--rhkkervju-01af xn--rholt-mra xn--risa-5na xn--risr-ira xn--rland-uua xn--rlingen-mxa xn--rmskog-bya
        no: xn--rros-gra xn--rskog-uua xn--rst-0na xn--rsta-fra xn--ryken-vua xn--ryrvik-bya xn--s-1fa
        no: xn--sandnessjen-ogb xn--sandy-yua xn--seral-lra xn--sgne-gra xn--skierv-uta xn--skjervy-v1a xn--skjk-soa
        no: xn--sknit-yqa xn--sknland-fxa xn--slat-5na xn--slt-elab xn--smla-hra xn--smna-gra xn--snase-nra
        no: xn--sndre-land-0cb xn--snes-poa xn--snsa-roa xn--sr-aurdal-l8a xn--sr-fron-q1a xn--sr-odal-q1a
        no: xn--sr-varanger-ggb xn--srfold-bya xn--srreisa-q1a xn--srum-gra xn--stjrdal-s1a xn--stjrdalshalsen-sqb
        no: xn--stre-toten-zcb xn--tjme-hra xn--tnsberg-q1a xn--trany-yua xn--trgstad-r1a xn--trna-woa xn--troms-zua
        no: xn--tysvr-vra xn--unjrga-rta xn--vads-jra xn--vard-jra xn--vegrshei-c0a xn--vestvgy-ixa6o xn--vg-yiab
        no: xn--vgan-qoa xn--vgsy-qoa0j xn--vre-eiker-k8a xn--vrggt-xqad xn--vry-yla5g xn--yer-zna xn--ygarden-p1a
        no: xn--ystre-slidre-ujb noc.ruhr-uni-bochum.de: io nodeart.io: stage nordland.no: bo heroy xn--b-5ga
        nordland.no: xn--hery-ira nospamproxy.com: cloud now: dyn here nr: biz com edu gov info net org nt.no: gs
        nu: enterprisecloud merseine mine shacknet nv.us: cc k12 lib ny.us: cc k12 lib nz: ac cloudns co cri geek gen
        nz: govt health iwi kiwi maori mil net org parliament school xn--mori-qsa objectstorage.ch: lpg rma
        observableusercontent.com: static of.no: gs oh.us: cc k12 lib oita.jp: beppu bungoono bungotakada hasama hiji
        oita.jp: himeshima hita kamitsue kokonoe kuju kunisaki kusu oita saiki taketa tsukumi usa usuki yufu ok.us: cc
        ok.us: k12 lib okayama.jp: akaiwa asakuchi bizen hayashima ibara kagamino kasaoka kibichuo kumenan kurashiki
        okayama.jp: maniwa misaki nagi niimi nishiawakura okayama satosho setouchi shinjo shoo soja takahashi tamano
        okayama.jp: tsuyama wake yakage okinawa.jp: aguni ginowan ginoza gushikami haebaru higashi hirara iheya
        okinawa.jp: ishigaki ishikawa itoman izena kadena kin kitadaito kitanakagusuku kumejima kunigami minamidaito
        okinawa.jp: motobu nago naha nakagusuku nakijin nanjo nishihara ogimi okinawa onna shimoji taketomi tarama
        okinawa.jp: tokashiki tomigusuku tonaki urasoe uruma yaese yomitan yonabaru yonaguni zamami ol.no: gs om: co
        om: com edu gov med museum net org pro one: kin* service website online: barsy book eero eero-stage heimdns
        online: leapcell websitebuilder onstackit.cloud: runs or.us: cc k12 lib orange: tech org: accesscam ae
        org: altervista barsy blogdns blogsite bmoattachments boldlygoingnowhere cable-modem camdvr cloudns collegefan
        org: couchpotatofries ddnss dnsalias dnsdojo doesntexist dontexist doomdns dpdns dsmynas duckdns dvrdns
        org: dynalias dyndns dynserv endofinternet endoftheinternet eu familyds fedorainfracloud fedorapeople freeddns
        org: freedesktop from-me fspages game-host gotdns hatenadiary hepforge hk hobby-site homedns homeftp homelinux
        org: homeunix hopto httpbin in-dsl in-vpn ip-dynamic is-a-bruinsfan is-a-candidate is-a-celticsfan is-a-chef
        org: is-a-geek is-a-knight is-a-linux-user is-a-patsfan is-a-soxfan is-found is-local is-lost is-saved
        org: is-very-bad is-very-evil is-very-good is-very-nice is-very-sweet isa-geek jpn js kicks-ass misconfused
        org: mlbfan my-firewall myfirewall myftp mysecuritycamera mywire nflfan no-ip now-dns pimienta podzone poivron
        org: potager pubtls read-books readmyblog routingthecloud roxa selfip sellsyourhome servebbs serveftp servegame
        org: small-web spdns stuff-4-sale sweetpepper toolforge tunk tuxfamily twmail ufcfan us webhop webredirect
        org: wmcloud wmflabs za zapto org.uk: affinitylottery glug lug lugs raffleentry weeklylottery
        origin.cdn77-secure.org: ssl ortsinfo.at: ex* kunden* os.fedoraproject.org: app os.stg.fedoraproject.org: app
        osaka.jp: abeno chihayaakasaka chuo daito fujiidera habikino hannan higashiosaka higashisumiyoshi
        osaka.jp: higashiyodogawa hirakata ibaraki ikeda izumi izumiotsu izumisano kadoma kaizuka kanan kashiwara
        osaka.jp: katano kawachinagano kishiwada kita kumatori matsubara minato minoh misaki moriguchi neyagawa nishi
        osaka.jp: nose osakasayama sakai sayama sennan settsu shijonawate shimamoto suita tadaoka taishi tajiri
        osaka.jp: takaishi takatsuki tondabayashi toyonaka toyono yao oslo.no: gs ostfold.no: valer ovh: nerdpol
        ovh.net: hosting* webpaas* oxa.cloud: tn uk pa: abo ac com edu gob ing med net nom org sld pa.us: cc k12 lib
        paas.massivegrid.net: fr-1 lon-1 lon-2 ny-1 ny-2 sg-1 page: aem codeberg deuxfleurs heyflow hlx mybox pdns
        page: plesk prvcy rocky statichost panel.gg: daemon party.eus: user pe: com edu gob mil net nom org pf: com edu
        pf: org ph: cloudns com edu gov i mil net ngo org photos: framer pictures: 1337 pizza: ngrok pk: ac biz com edu
        pk: fam gkp gob gog gok gop gos gov net org web pl: agro aid art atm augustow auto babia-gora bedzin beep
        pl: beskidy bialowieza bialystok bielawa bielsko bieszczady biz boleslawiec bydgoszcz bytom cfolks cieszyn co
        pl: com czeladz czest dfirma dkonto dlugoleka ecommerce-shop edu elblag elk gda gdansk gdynia gliwice glogow
        pl: gmina gniezno gorlice gov grajewo gsm homesklep ilawa info jaworzno jelenia-gora jgora kalisz karpacz
        pl: kartuzy kaszuby katowice kazimierz-dolny kepno ketrzyn klodzko kobierzyce kolobrzeg konin konskowola krakow
        pl: krasnik kutno lapy lebork leczna legnica lezajsk limanowa lodz lomza lowicz lubartow lubin lublin lukow
        pl: mail malbork malopolska mazowsze mazury med media miasta mielec mielno mil mragowo myspreadshop naklo net
        pl: nieruchomosci nom nowaruda nysa olawa olecko olkusz olsztyn opoczno opole org ostroda ostroleka ostrowiec
        pl: ostrowwlkp pabianice pc pila pisz plock podhale podlasie polkowice pomorskie pomorze poniatowa powiat
        pl: poznan priv prochowice pruszkow przeworsk pulawy radom rawa-maz realestate rel rybnik rzeszow sanok
        pl: sdscloud sejny sex shop shoparena sieradz simplesite skierniewice sklep skoczow slask slupsk sopot sos
        pl: sosnowiec stalowa-wola starachowice stargard suwalki swidnica swidnik swiebodzin swinoujscie szczecin
        pl: szczytno szkola targi tarnobrzeg tgory tm torun tourism travel turek turystyka tychy unicloud ustka
        pl: walbrzych warmia warszawa waw wegrow wielun wlocl wloclawek wodzislaw wolomin wroc wroclaw you2 zachpomor
        pl: zagan zakopane zarow zgierz zgora zgorzelec pl-waw.scw.cloud: cockpit ddl dtwh ifr k8s kafk mgdb rdb s3
        pl-waw.scw.cloud: s3-website scbl place: co platform.sh: ent eu us playit.plus: at* with plus: playit
        ply.gg: at* d6 pm: name own pn: co edu gov net org pr: ac biz com edu est gov info isla name net org pro prof
        pr.us: cc k12 lib prgmr.com: xen primetel.cloud: uk pro: aaa aca acct avocat bar barsy cloudns cpa eng jur
        pro: keenetic law med ngrok recht prod.atlassian-dev.net: cdn prod.fastly.net: a global prod.thingdust.io: cust
        project-study.com: dev ps: com edu gov net org plo sec pstmn.io: mock pt: 123paginaweb com edu gov int net nome
        pt: org publ pub: barsy id* kin* pw: cloudns gov x443 py: com coop edu gov mil net org pythonanywhere.com: eu
        qa: com edu gov mil name net org sch qcx.io: sys* quickconnect.cn: direct quickconnect.to: direct
        r.cloud.int.apple: ap-north-1* ap-south-1* ap-south-2* eu-central-1* eu-north-1* us-central-1* us-central-2*
        r.cloud.int.apple: us-east-1* us-east-2* us-west-1* us-west-2* us-west-3* railway.app: up rb-hosting.io: site
        rdpa.co: clusters* srvrless* rds.amazonaws.com: af-south-1* ap-east-1* ap-east-2* ap-northeast-1*
        rds.amazonaws.com: ap-northeast-2* ap-northeast-3* ap-south-1* ap-south-2* ap-southeast-1* ap-southeast-2*
        rds.amazonaws.com: ap-southeast-3* ap-southeast-4* ap-southeast-5* ap-southeast-6* ap-southeast-7*
        rds.amazonaws.com: ca-central-1* ca-west-1* eu-central-1* eu-central-2* eu-west-1* eu-west-2* eu-west-3*
        rds.amazonaws.com: il-central-1* me-central-1* me-south-1* mx-central-1* sa-east-1* us-east-1* us-east-2*
        rds.amazonaws.com: us-gov-east-1* us-gov-west-1* us-northeast-1* us-west-1* us-west-2* re: asso can com netlib
        reclaim.cloud: ca uk us render.com: app repl.co: id replit.app: id replit.dev: archer bones canary global
        replit.dev: hacker id janeway kim kira kirk odo paris picard pike prerelease reed riker sisko spock staging
        replit.dev: sulu tarpit teams tucker wesley worf repost.aws: private* resinstaging.io: devices
        retrosnub.co.uk: cust reviews: aem ri.us: cc lib rip: clan rit.edu: git-pages rl.no: gs
        rma.cloudscale.ch: objects ro: arts barsy co com firm info nom nt org rec shop store tm www rocks: lima-city
        rocks: myddns stackit webspace rs: ac barsy co edu gov in org ox ru: ac adygeya bashkiria bir cbg com dagestan
        ru: edu eurodir gov grozny int kalmykia kustanai marine mcdir mcpre mil mircloud mordovia msk myjino mytis na4u
        ru: nalchik net nov org pp pyatigorsk ras spb vladikavkaz vladimir ru-msk.k2.cloud: lb s3 website
        ru-spb.k2.cloud: lb s3 website run: appwrite* build* canva code* database* development liara lovable migration*
        run: needle onporter ravendb repl stackit val vercel wix run.app: mtls* rw: ac co coop gov mil net org sa: com
        sa: edu gov med net org pub sch sa-east-1.amazonaws.com: emrappui-prod emrnotebooks-prod emrstudio-prod
        sa-east-1.amazonaws.com: execute-api s3 s3-accesspoint s3-object-lambda s3-website
        sa-east-1.amazoncognito.com: auth sa-east-1.on.aws: airflow* lambda-url transfer-webapp
        sa-east-1.sagemaker.aws: notebook studio saga.jp: ariake arita fukudomi genkai hamatama hizen imari kamimine
        saga.jp: kanzaki karatsu kashima kitagata kitahata kiyama kouhoku kyuragi nishiarita ogi omachi ouchi saga
        saga.jp: shiroishi taku tara tosu yoshinogari sagemaker.aws: experiments* saitama.jp: arakawa asaka chichibu
        saitama.jp: fujimi fujimino fukaya hanno hanyu hasuda hatogaya hatoyama hidaka higashichichibu higashimatsuyama
        saitama.jp: honjo ina iruma iwatsuki kamiizumi kamikawa kamisato kasukabe kawagoe kawaguchi kawajima kazo
        saitama.jp: kitamoto koshigaya kounosu kuki kumagaya matsubushi minano misato miyashiro miyoshi moroyama
        saitama.jp: nagatoro namegawa niiza ogano ogawa ogose okegawa omiya otaki ranzan ryokami saitama sakado satte
        saitama.jp: sayama shiki shiraoka soka sugito toda tokigawa tokorozawa tsurugashima urawa warabi yashio yokoze
        saitama.jp: yono yorii yoshida yoshikawa yoshimi sapporo.jp: city! saveincloud.net: jelastic nordeste-idc
        sb: com edu gov net org sc: com edu gov net org sc.us: cc k12 lib scaleforce.com.cy: j scaleforce.net: j
        scot: co gov me mygov org scrypted.io: client scw.cloud: k8s scalebook smartlabeling scw.site: ams waw sd: com
        sd: edu gov info med net org tv sd.us: cc lib se: 123minsida a ac b bd brand c com d e f fh fhsk fhv g h i
        se: iopsys itcouldbewor k komforb kommunalforbund komvux l lanbib m myspreadshop n naturbruksgymn o org p parti
        se: pp press r s t tm u w x y z sendai.jp: city! services: loginline sf.no: gs sg: com edu enscaled gov net org
        sh: botda com gov hashbang lovable mil net now org teleport sh.cn: as shiga.jp: aisho gamo higashiomi hikone
        shiga.jp: koka konan kosei koto kusatsu maibara moriyama nagahama nishiazai notogawa omihachiman otsu ritto
        shiga.jp: ryuoh takashima takatsuki torahime toyosato yasu shimane.jp: akagi ama gotsu hamada higashiizumo
        shimane.jp: hikawa hikimi izumo kakinoki masuda matsue misato nishinoshima ohda okinoshima okuizumo shimane
        shimane.jp: tamayu tsuwano unnan yakumo yasugi yatsuka shizuoka.jp: arai atami fuji fujieda fujikawa fujinomiya
        shizuoka.jp: fukuroi gotemba haibara hamamatsu higashiizu ito iwata izu izunokuni kakegawa kannami kawanehon
        shizuoka.jp: kawazu kikugawa kosai makinohara matsuzaki minamiizu mishima morimachi nishiizu numazu omaezaki
        shizuoka.jp: shimada shimizu shimoda shizuoka susono yaizu yoshida shop: barsy barsyonline base hoplix shopware
        show: ms si: f5 gitapp gitpage site: barsy byen caffeine chatgpt cloudera* co convex cpanel cyon fastvps figma
        site: figma-gov heyflow jele jouwweb loginline madethis notion novecore omniwe opensocial piebox platformsh*
        site: playcode preview puter scw sol sourcecraft square srht support tst* wpsquared sk: org sl: com edu gov net
        sl: org sn: art com edu gouv org univ snowflake.app: privatelink* so: com edu gov me net org surveys
        space: app-ionos deployagent heiyu hf myfast project uber vibehost xs4all spawn.cc: instances
        speedpartner.de: customer srcf.net: soc user srv.us: gh gl ss: biz co com edu gov me net org sch
        ssl.fastly.net: a b global st: cn* co com consulado edu embaixada helioho kirara mil net noho org principe
        st: saotome store st.no: gs staging.expo.app: on storacha.link: ipfs storage.dev: t3 storageapi.dev: t3
        store: barsy sellfy shopware storebase strapiapp.com: media su: abkhazia adygeya aktyubinsk arkhangelsk armenia
        su: ashgabad azerbaijan balashov bashkiria bryansk bukhara chimkent dagestan east-kazakhstan exnet georgia
        su: grozny ivanovo jambyl kalmykia kaluga karacol karaganda karelia khakassia krasnodar kurgan kustanai lenug
        su: mangyshlak mordovia msk murmansk nalchik navoi north-kazakhstan nov obninsk penza pokrovsk sochi spb
        su: tashkent termez togliatti troitsk tselinograd tula tuva vladikavkaz vladimir vologda supabase.co: realtime
        supabase.co: storage support: barsy sv: com edu gob org red svalbard.no: gs sx: gov sy: com edu gov mil net org
        systems: knightpoint miren sz: ac co org tawk.email: p tawkto.email: p tb-hosting.com: site team: discourse
        team: jelastic tech: cleverapps technology: co teckids.org: s3 telemark.no: bo xn--b-5ga
        test.code-builder-stg.platform.salesforce.com: 001* testing.thingdust.io: cust reservd tf: sch th: ac co go in
        th: mi net online or shop tj: biz co com edu go gov int mil name net nic org test web tl: gov tm: co com edu
        tm: gov mil net nom org tm.no: gs tn: com ens fin gov ind info intl mincom nat net orangecloud org perso
        tn: tourism tn.us: cc k12 lib to: 611 com edu gov mil net nett org oya vpnplus x0 tochigi.jp: ashikaga bato
        tochigi.jp: haga ichikai iwafune kaminokawa kanuma karasuyama kuroiso mashiko mibu moka motegi nasu
        tochigi.jp: nasushiobara nikko nishikata nogi ohira ohtawara oyama sakura sano shimotsuke shioya takanezawa
        tochigi.jp: tochigi tsuga ujiie utsunomiya yaita today: prequalifyme tokushima.jp: aizumi anan ichiba itano
        tokushima.jp: kainan komatsushima matsushige mima minami miyoshi mugi nakagawa naruto sanagochi shishikui
        tokushima.jp: tokushima wajiki tokyo.jp: adachi akiruno akishima aogashima arakawa bunkyo chiyoda chofu chuo
        tokyo.jp: edogawa fuchu fussa hachijo hachioji hamura higashikurume higashimurayama higashiyamato hino hinode
        tokyo.jp: hinohara inagi itabashi katsushika kita kiyose kodaira koganei kokubunji komae koto kouzushima
        tokyo.jp: kunitachi machida meguro minato mitaka mizuho musashimurayama musashino nakano nerima ogasawara
        tokyo.jp: okutama ome oshima ota setagaya shibuya shinagawa shinjuku suginami sumida tachikawa taito tama
        tokyo.jp: toshima tools: myaddr top: ntdll wadl* torproject.net: pages tottori.jp: chizu hino kawahara koge
        tottori.jp: kotoura misasa nanbu nichinan sakaiminato tottori wakasa yazu yonago toyama.jp: asahi fuchu
        toyama.jp: fukumitsu funahashi himi imizu inami johana kamiichi kurobe nakaniikawa namerikawa nanto nyuzen
        toyama.jp: oyabe taira takaoka tateyama toga tonami toyama unazuki uozu yamada tr: av bbs bel biz com dr edu
        tr: gen gov info k12 kep mil name nc net org pol tel tsk tv web tr.no: gs transip.me: site
        trendhosting.cloud: ch de ts.net: c* tt: biz co com edu gov info mil name net org pro tv: better-than dyndns
        tv: from on-the-web sakura worse-than tw: club com ebiz edu game gov idv mil mydns net org url tx.us: cc k12
        tx.us: lib typeform.com: pro tz: ac co go hotel info me mil mobi ne or sc tv ua: biz cc cherkassy cherkasy
        ua: chernigov chernihiv chernivtsi chernovtsy ck cn co com cr crimea cv cx dn dnepropetrovsk dnipropetrovsk
        ua: donetsk dp edu gov if in inf ivano-frankivsk kh kharkiv kharkov kherson khmelnitskiy khmelnytskyi kiev
        ua: kirovograd km kr kropyvnytskyi krym ks kv kyiv lg lt ltd lugansk luhansk lutsk lv lviv mk mykolaiv net
        ua: nikolaev od odesa odessa org pl poltava pp rivne rovno rv sb sebastopol sevastopol sm sumy te ternopil uz
        ua: uzhgorod uzhhorod v vinnica vinnytsia vn volyn yalta zakarpattia zaporizhzhe zaporizhzhia zhitomir zhytomyr
        ua: zp zt ug: ac co com edu go gov mil ne or org sc us uk: ac barsy co conn copro gov hosp
        uk: independent-commission independent-inquest independent-inquiry independent-panel independent-review ltd me
        uk: net nhs nimsite oraclegovcloudapps* org plc police public-inquiry pymnt royal-commission sch* us: ak al ar
        us: as az azure-api azurewebsites ca cloudns co ct dc de dni fl freeddns ga golffan gu heliohost hi ia id il in
        us: is-by isa ks ky la land-4-sale ma md me mi mircloud mn mo ms mt nc nd ne ngo nh nj nm noip nsn nv ny oh ok
        us: or pa pointto pr ri sc sd servername srv stuff-4-sale tn tx ut va vi vt wa wi wv wy
        us-east-1.amazonaws.com: analytics-gateway emrappui-prod emrnotebooks-prod emrstudio-prod execute-api s3
        us-east-1.amazonaws.com: s3-accesspoint s3-accesspoint-fips s3-deprecated s3-fips s3-object-lambda s3-website
        us-east-1.amazoncognito.com: auth auth-fips us-east-1.on.aws: airflow* lambda-url transfer-webapp
        us-east-1.sagemaker.aws: labeling notebook notebook-fips studio us-east-2.amazonaws.com: analytics-gateway
        us-east-2.amazonaws.com: emrappui-prod emrnotebooks-prod emrstudio-prod execute-api s3 s3-accesspoint
        us-east-2.amazonaws.com: s3-accesspoint-fips s3-deprecated s3-fips s3-object-lambda s3-website
        us-east-2.amazoncognito.com: auth auth-fips us-east-2.on.aws: airflow* lambda-url transfer-webapp
        us-east-2.sagemaker.aws: labeling notebook notebook-fips studio us-gov-east-1.amazonaws.com: emrappui-prod
        us-gov-east-1.amazonaws.com: emrnotebooks-prod emrstudio-prod execute-api s3 s3-accesspoint s3-accesspoint-fips
        us-gov-east-1.amazonaws.com: s3-fips s3-object-lambda s3-website us-gov-east-1.amazoncognito.com: auth-fips
        us-gov-east-1.on.aws: transfer-webapp transfer-webapp-fips us-gov-east-1.sagemaker.aws: notebook notebook-fips
        us-gov-east-1.sagemaker.aws: studio studio-fips us-gov-west-1.amazonaws.com: emrappui-prod emrnotebooks-prod
        us-gov-west-1.amazonaws.com: emrstudio-prod execute-api s3 s3-accesspoint s3-accesspoint-fips s3-fips
        us-gov-west-1.amazonaws.com: s3-object-lambda s3-website us-gov-west-1.amazoncognito.com: auth-fips
        us-gov-west-1.on.aws: transfer-webapp transfer-webapp-fips us-gov-west-1.sagemaker.aws: notebook notebook-fips
        us-gov-west-1.sagemaker.aws: studio studio-fips us-west-1.amazonaws.com: emrappui-prod emrnotebooks-prod
        us-west-1.amazonaws.com: emrstudio-prod execute-api s3 s3-accesspoint s3-accesspoint-fips s3-fips
        us-west-1.amazonaws.com: s3-object-lambda s3-website us-west-1.amazoncognito.com: auth auth-fips
        us-west-1.on.aws: airflow* lambda-url transfer-webapp us-west-1.sagemaker.aws: notebook notebook-fips studio
        us-west-2.amazonaws.com: analytics-gateway emrappui-prod emrnotebooks-prod emrstudio-prod execute-api s3
        us-west-2.amazonaws.com: s3-accesspoint s3-accesspoint-fips s3-deprecated s3-fips s3-object-lambda s3-website
        us-west-2.amazoncognito.com: auth auth-fips us-west-2.on.aws: airflow* lambda-url transfer-webapp
        us-west-2.sagemaker.aws: labeling notebook notebook-fips studio usgovcloudapi.net: servicebus ut.us: cc k12 lib
        uy: com edu gub gv mil net org uz: co com net org va.no: gs va.us: cc k12 lib val.run: web vc: 0e* com edu gov
        vc: gv mil mydns net org ve: arts bib co com e12 edu emprende firm gob gov ia info int mil net nom org rar rec
        ve: store tec web vestfold.no: sande vf.no: gs vg: edu vi: co com k12 net org vi.us: cc k12 lib vip: hidns
        vn: ac ai angiang bacgiang backan baclieu bacninh baria-vungtau bentre binhdinh binhduong binhphuoc binhthuan
        vn: biz camau cantho caobang com daklak daknong danang dienbien dongnai dongthap edu gialai gov hagiang
        vn: haiduong haiphong hanam hanoi hatinh haugiang health hoabinh hue hungyen id info int io khanhhoa kiengiang
        vn: kontum laichau lamdong langson laocai longan namdinh name net nghean ninhbinh ninhthuan org phutho phuyen
        vn: pro quangbinh quangnam quangngai quangninh quangtri soctrang sonla tayninh thaibinh thainguyen thanhhoa
        vn: thanhphohochiminh thuathienhue tiengiang travinh tuyenquang vinhlong vinhphuc yenbai vt.us: cc k12 lib
        vu: com edu net org w3s.link: ipfs wa.us: aberdeen bainbridge-isl bellevue bremerton cc centralia chehalis
        wa.us: forks gig-harbor hoquiam k12 keyport kingston lib olympia port-angeles port-ludlow port-orchard
        wa.us: port-townsend poulsbo redmond renton sea seattle sequim shelton silverdale yarrow-point
        wafaicloud.com: jed ryd wakayama.jp: arida aridagawa gobo hashimoto hidaka hirogawa inami iwade kainan
        wakayama.jp: kamitonda katsuragi kimino kinokawa kitayama koya koza kozagawa kudoyama kushimoto mihama misato
        wakayama.jp: nachikatsuura shingu shirahama taiji tanabe wakayama yuasa yura webaccel.jp: rs user
        website: framer wf: biz sch wi.us: cc k12 lib wiardweb.com: pages wiki: framer windows.net: servicebus
        wmcloud.org: beta work: imagine-proxy puter wpenginepowered.com: js ws: advisor* cloud66 com dyndns edu gov
        ws: mypets net org wtf: ddns wv.us: cc wy.us: cc k12 lib xn--4dbrk0ce: xn--4dbgdty6c xn--5dbhl8d xn--8dbq2a
        xn--4dbrk0ce: xn--hebda8b xn--90a3ac: xn--80au xn--90azh xn--c1avg xn--d1at xn--o1ac xn--o1ach
        xn--j6w193g: xn--55qx5d xn--gmqw5a xn--mxtq1m xn--od0alg xn--uc0atv xn--wcvs22d
        xn--mre-og-romsdal-qqb.no: sande xn--hery-ira xn--o3cw4h: xn--12c1fe0br xn--12cfi8ixb8l xn--12co0c3b4eva
        xn--o3cw4h: xn--h3cuzk1di xn--m3ch0j3a xn--o3cyx2a xn--p1acf: xn--41a xn--80aaa0cvac xn--90a1af xn--90amc
        xn--p1acf: xn--c1avg xn--h1ahn xn--h1aliz xn--j1adp xn--j1aef xn--j1ael8b xn--stfold-9xa.no: xn--vler-qoa
        xnbay.com: u2 u2-local xyz: botdash caffeine exe opentunnel telebit* yamagata.jp: asahi funagata higashine iide
        yamagata.jp: kahoku kaminoyama kaneyama kawanishi mamurogawa mikawa murayama nagai nakayama nanyo nishikawa
        yamagata.jp: obanazawa oe oguni ohkura oishida sagae sakata sakegawa shinjo shirataka shonai takahata tendo
        yamagata.jp: tozawa tsuruoka yamagata yamanobe yonezawa yuza yamaguchi.jp: abu hagi hikari hofu iwakuni
        yamaguchi.jp: kudamatsu mitou nagato oshima shimonoseki shunan tabuse tokuyama toyota ube yuu
        yamanashi.jp: chuo doshi fuefuki fujikawa fujikawaguchiko fujiyoshida hayakawa hokuto ichikawamisato kai kofu
        yamanashi.jp: koshu kosuge minami-alps minobu nakamichi nanbu narusawa nirasaki nishikatsura oshino otsuki
        yamanashi.jp: showa tabayama tsuru uenohara yamanakako yamanashi yandexcloud.net: storage website ye: com edu
        ye: gov mil net org yokohama.jp: city! yt: org za: ac agric alt co edu gov grondar law mil net ngo nic nis nom
        za: org school tm web zm: ac biz co com edu gov info mil net org sch zone: lima prg1-zerops stackit triton*
        zone: zerops* zw: ac co gov mil org
        """
}
